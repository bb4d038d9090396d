import * as z from 'zod';

/** A connection that carries whole messages. */
export type Wire = {
  /** Ends when the connection does; never rejects. */
  messages: AsyncIterable<string>;
  /** Does nothing once the connection is gone. */
  send(message: string): void;
  close(): void;
};
export type RpcId = string | number;
export type RpcRequest = { id: RpcId; method: string; params: unknown };
export type RpcNotification = { method: string; params: unknown };
export type RpcReply = { result: unknown } | { error: { code: number; message: string } };
type Served = {
  /** Nothing is sent while this waits; `undefined` is no reply at all. */
  answer: (request: RpcRequest, rpc: JsonRpc) => Promise<RpcReply | undefined>;
  notified: (notification: RpcNotification) => void;
  report: (what: string) => void;
};

export class RpcError extends Error {
  override name = 'RpcError';
  /** Of JSON-RPC; nothing where the connection was lost. */
  readonly code: number | undefined;

  constructor(method: string, message: string, code?: number) {
    super(`${method}: ${message}`);
    this.code = code;
  }
}

const INTERNAL_ERROR = -32_603;
const id = z.union([z.string(), z.number()]);
const frame = z.union([
  z.object({ id: id.optional(), method: z.string(), params: z.unknown().optional() }),
  z.object({ id, error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ id, result: z.unknown() }),
]);
const SHOWN_LENGTH = 200;

/** JSON-RPC as `codex app-server` speaks it: both sides ask, and no message says `"jsonrpc"`. */
export class JsonRpc {
  readonly #wire: Wire;
  readonly #served: Served;
  readonly #calls = new Map<RpcId, PromiseWithResolvers<unknown> & { method: string }>();
  #lastId = 0;
  #isClosed = false;
  /** The connection is gone. */
  readonly closed: Promise<void>;

  constructor(wire: Wire, served: Served) {
    this.#wire = wire;
    this.#served = served;
    this.closed = this.#serve();
  }

  /** @throws RpcError with the other side's refusal, or when the connection ends before an answer */
  call(method: string, params: unknown): Promise<unknown> {
    const call = { ...Promise.withResolvers<unknown>(), method };
    if (this.#isClosed) call.reject(new RpcError(method, 'the connection is closed'));
    const id = ++this.#lastId;
    this.#calls.set(id, call);
    this.#send({ id, method, params });
    return call.promise;
  }

  notify(method: string): void {
    this.#send({ method });
  }

  close(): void {
    this.#wire.close();
  }

  async #serve(): Promise<void> {
    for await (const message of this.#wire.messages) this.#hear(message);
    this.#isClosed = true;
    for (const { reject, method } of this.#calls.values()) reject(new RpcError(method, 'the connection was lost'));
    this.#calls.clear();
  }

  #hear(message: string): void {
    const read = frame.safeParse(parsed(message)).data;
    if (!read) this.#served.report(`no JSON-RPC: ${shown(message)}`);
    else if (!('method' in read)) this.#settle(read);
    else if (read.id === undefined) this.#served.notified({ method: read.method, params: read.params });
    else void this.#answer({ id: read.id, method: read.method, params: read.params });
  }

  #settle(reply: { id: RpcId } & ({ error: { code: number; message: string } } | { result?: unknown })): void {
    const call = this.#calls.get(reply.id);
    this.#calls.delete(reply.id);
    if (!call) this.#served.report(`a reply to a call that nobody made: ${shown(JSON.stringify(reply))}`);
    else if ('error' in reply) call.reject(new RpcError(call.method, reply.error.message, reply.error.code));
    else call.resolve(reply.result);
  }

  async #answer(request: RpcRequest): Promise<void> {
    let reply: RpcReply | undefined;
    try {
      reply = await this.#served.answer(request, this);
    } catch (error) {
      this.#served.report(`${request.method} could not be answered: ${error}`);
      reply = { error: { code: INTERNAL_ERROR, message: 'internal error' } };
    }
    if (reply !== undefined) this.#send({ id: request.id, ...reply });
  }

  #send(message: object): void {
    this.#wire.send(JSON.stringify(message));
  }
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function shown(message: string): string {
  return message.length > SHOWN_LENGTH ? `${message.slice(0, SHOWN_LENGTH)}…` : message;
}

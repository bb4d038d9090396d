import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { AFTER_RESTART } from '../after-restart.ts';
import { warnOfUntested } from '../warn-of-untested.ts';
import { AppServer, type CodexCommand } from './app-server.ts';
import { type AdapterOptions, CodexAdapter } from './codex-adapter.ts';
import { JsonRpc, RpcError, type RpcNotification, type Wire } from './json-rpc.ts';
import { turnOf } from './read-request.ts';
import { TESTED_CODEX, versionIn } from './tested-version.ts';

export type CodexRun = AdapterOptions & {
  codex: CodexCommand;
  /**
   * The path of the Unix socket of this thread's Codex, at most 103 bytes: the same one after a restart, and no other
   * thread's.
   */
  socket: string;
  /** As for `thread/start`; it asks about everything but harmless commands unless `approvalPolicy` says otherwise. */
  thread: { cwd: string; approvalPolicy?: unknown; sandbox?: unknown; [param: string]: unknown };
  /** The user's message. Without one a busy session goes on where it was left, and with any other there is nothing to do. */
  prompt?: string;
  session?: CodexSession;
  warn?: (line: string) => void;
};
/** What has to be kept of a session to go on with it; on another machine the folder `CODEX_HOME` as well. */
export type CodexSession = {
  thread_id: string;
  /** A turn is at work, or was when its process was lost. */
  busy: boolean;
};
/** `parked`: Codex goes on without us, and `session` finds it again; `stopped`: the run's signal ended it in its middle. */
export type RunEnd = { state: 'ended' | 'parked' | 'stopped'; session: CodexSession | undefined };

const CLIENT = { name: 'interactive_prompts', title: null, version: '0' };
/** `refused`: the Codex that was found takes nobody up any more, as when it was asked to end. */
type TurnEnd = RunEnd['state'] | 'refused';

const initializedSchema = z.object({ userAgent: z.string() });
const loadedSchema = z.object({ data: z.array(z.string()) });
const threadSchema = z.object({
  thread: z.object({
    id: z.string(),
    status: z.object({ type: z.string(), activeFlags: z.array(z.string()).default([]) }),
    turns: z.array(z.object({ items: z.array(z.unknown()).default([]) }).loose()).default([]),
  }),
});
type LoadedThread = z.infer<typeof threadSchema>['thread'];
const ofThread = z.object({ threadId: z.string() });

/**
 * Runs one turn of Codex, which asks people by the adapter. Yields Codex's notifications as they come.
 *
 * Codex runs in a process of its own for as long as the turn lasts, also while this one is gone: the next `runCodex` with
 * the same `socket` and `session` finds the turn and its open requests again. If that process is lost as well, the model
 * is told to make its call again, and an identical one goes on with the prompt that `interrupted` has of it.
 *
 * Keep `sessionAfter(session, notification)` of every notification where a restart finds it.
 *
 * @throws where Codex does not start, refuses the turn, or is lost in its middle; its prompts then stay open
 */
export async function* runCodex(run: CodexRun): AsyncGenerator<RpcNotification, RunEnd> {
  const server = new AppServer(run.socket);
  const left = await server.connect();
  if (left && run.session?.busy) {
    const end = yield* oneConnection(run, server, left, true);
    if (end.state !== 'refused') return { ...end, state: end.state };
  } else if (left) {
    // Of a turn whose session was not kept; two at work in one folder would be one too many.
    server.kill();
    left.close();
  }
  if (run.prompt === undefined && !run.session?.busy) return { state: 'ended', session: run.session };
  const end = yield* oneConnection(run, server, await server.start(run.codex), false);
  if (end.state === 'refused') throw new Error('a new Codex cannot refuse a turn that is at work');
  return { ...end, state: end.state };
}

async function* oneConnection(
  run: CodexRun,
  server: AppServer,
  wire: Wire,
  isAttached: boolean,
): AsyncGenerator<RpcNotification, { state: TurnEnd; session: CodexSession | undefined }> {
  const turn = new CodexTurn(run, isAttached);
  let { session } = run;
  try {
    for await (const notification of turn.begin(wire)) {
      session = sessionAfter(session, notification);
      yield notification;
    }
    const state = await turn.end;
    // Nothing is open any more, or nobody may answer it: then it must not go on by itself either.
    if (state !== 'parked') server.kill();
    return { state, session };
  } finally {
    turn.leave();
  }
}

export function sessionAfter(
  session: CodexSession | undefined,
  { method, params }: RpcNotification,
): CodexSession | undefined {
  const thread_id = ofThread.safeParse(params).data?.threadId;
  if (thread_id === undefined || (session && session.thread_id !== thread_id)) return session;
  if (method === 'turn/started') return { thread_id, busy: true };
  return method === 'turn/completed' ? { thread_id, busy: false } : session;
}

class CodexTurn {
  readonly #run: CodexRun;
  readonly #isAttached: boolean;
  /** The turn goes on without us: its questions stay open, and so does Codex. */
  readonly #left = new AbortController();
  readonly #over = new AbortController();
  readonly #end = Promise.withResolvers<TurnEnd>();
  readonly #known = Promise.withResolvers<void>();
  readonly #requests = new Map<string | undefined, PromiseWithResolvers<void>>();
  #rpc: JsonRpc | undefined;
  #threadId: string | undefined;

  constructor(run: CodexRun, isAttached: boolean) {
    this.#run = run;
    this.#isAttached = isAttached;
    // Read at the end of the notifications alone.
    this.#end.promise.catch(() => {});
  }

  readonly #report = (what: string): void => (this.#run.report ?? console.warn)(what);

  /** The first request of a thread. */
  #takenUp(threadId: string | undefined): PromiseWithResolvers<void> {
    const first = this.#requests.get(threadId) ?? Promise.withResolvers<void>();
    this.#requests.set(threadId, first);
    return first;
  }

  /** @throws where the turn failed or was lost */
  get end(): Promise<TurnEnd> {
    return this.#end.promise;
  }

  leave(): void {
    if (!this.#over.signal.aborted) this.#left.abort();
    this.#over.abort();
    this.#rpc?.close();
  }

  begin(wire: Wire): ReadableStream<RpcNotification> {
    const run = this.#run;
    const park = AbortSignal.any([this.#left.signal, ...(run.park ? [run.park] : [])]);
    // A turn that is found again sends its own requests again, and one that has ended made its calls: only where it was
    // lost a call is made a second time, and an approval of the first one is meant for it.
    const { interrupted, ...options } = run;
    const isLost = run.session?.busy && !this.#isAttached;
    const adapter = new CodexAdapter({ ...options, park, ...(interrupted && isLost && { interrupted }) });
    const report = this.#report;
    return new ReadableStream<RpcNotification>({
      start: (notifications) => {
        const heard = (notification: RpcNotification) => {
          adapter.notified(notification);
          if (this.#over.signal.aborted) return;
          notifications.enqueue(notification);
          if (!this.#isEnd(notification)) return;
          adapter.ended();
          this.#end.resolve('ended');
        };
        const answer: CodexAdapter['answer'] = async (request, rpc) => {
          await this.#known.promise;
          if (this.#over.signal.aborted) return undefined;
          const reply = adapter.answer(request, rpc);
          this.#takenUp(turnOf(request.params)?.threadId).resolve();
          return reply;
        };
        const rpc = new JsonRpc(wire, { answer, notified: heard, report });
        this.#rpc = rpc;
        void rpc.closed.then(() => this.#end.reject(new Error('Codex was lost in the middle of a turn')));
        whenAborted(run.signal, this.#over.signal, () => this.#end.resolve('stopped'));
        whenAborted(run.park, this.#over.signal, () => this.#end.resolve('parked'));
        this.#begun(rpc, adapter, heard).catch((error) => {
          const isRefused = this.#isAttached && this.#threadId === undefined && error instanceof RpcError;
          if (isRefused) this.#end.resolve('refused');
          else this.#end.reject(error);
        });
        const closed = () => {
          if (this.#over.signal.aborted) return;
          this.#over.abort();
          notifications.close();
        };
        const failed = () => {
          this.#left.abort();
          closed();
        };
        this.#end.promise.then(closed, failed);
      },
      cancel: () => this.leave(),
    });
  }

  async #begun(rpc: JsonRpc, adapter: CodexAdapter, heard: (notification: RpcNotification) => void): Promise<void> {
    const { session, prompt, warn = console.warn } = this.#run;
    const capabilities = { experimentalApi: true, requestAttestation: false };
    const { userAgent } = initializedSchema.parse(await rpc.call('initialize', { clientInfo: CLIENT, capabilities }));
    warnOfUntested('Codex', versionIn(userAgent), TESTED_CODEX, warn);
    rpc.notify('initialized');

    const thread = { approvalPolicy: 'untrusted', ...this.#run.thread, approvalsReviewer: 'user' };
    const started = session
      ? await rpc.call('thread/resume', { ...thread, threadId: session.thread_id })
      : await rpc.call('thread/start', thread);
    const { thread: ours } = threadSchema.parse(started);
    this.#threadId = ours.id;
    const threads = [ours, ...(this.#isAttached ? await this.#subagents(rpc, ours.id) : [])];
    // The changes of requests that were open before; they are not answered sooner.
    for (const { id, turns } of threads) {
      for (const item of turns.flatMap(({ items }) => items)) adapter.remember({ threadId: id, item });
    }
    this.#known.resolve();
    if (this.#isAttached && prompt === undefined) {
      if (ours.status.type !== 'active') {
        // It came to its end while nobody was there. What a subagent asks is asked first, as its prompt may be open since
        // before, and is cancelled with it.
        const asking = threads.filter(({ status }) => status.activeFlags.length > 0);
        await Promise.all(asking.map(({ id }) => this.#takenUp(id).promise));
        await setImmediate();
        heard({ method: 'turn/completed', params: { threadId: ours.id, turn: ours.turns.at(-1) ?? null } });
      }
      return;
    }
    const input = [{ type: 'text', text: prompt ?? AFTER_RESTART, text_elements: [] }];
    await rpc.call('turn/start', { threadId: ours.id, input });
  }

  /** Codex sends an open request again to whoever resumes its thread, and a subagent has a thread of its own. */
  async #subagents(rpc: JsonRpc, ownId: string): Promise<LoadedThread[]> {
    const lost = (error: unknown) => void this.#report(`not all subagents were found again: ${error}`);
    const resume = async (threadId: string) => threadSchema.parse(await rpc.call('thread/resume', { threadId })).thread;
    const list = async () => loadedSchema.parse(await rpc.call('thread/loaded/list', {})).data;
    const others = ((await list().catch(lost)) ?? []).filter((id) => id !== ownId);
    const found = await Promise.all(others.map((id) => resume(id).catch(lost)));
    return found.filter((thread) => thread !== undefined);
  }

  #isEnd({ method, params }: RpcNotification): boolean {
    return method === 'turn/completed' && ofThread.safeParse(params).data?.threadId === this.#threadId;
  }
}

function whenAborted(signal: AbortSignal | undefined, over: AbortSignal, then: () => void): void {
  if (signal?.aborted) then();
  else signal?.addEventListener('abort', then, { once: true, signal: over });
}

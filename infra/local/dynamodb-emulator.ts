import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import dynalite from 'dynalite';
import type { Emulator } from './emulator.ts';
import type { Guard } from './iam/access-control.ts';
import { closeServer, listenOnLoopback, readBody, sendJson } from './loopback-server.ts';

/** DynamoDB's own limit of a request. */
const REQUEST_LIMIT_BYTES = 16 * 1024 * 1024;
/** Requests take milliseconds. */
const STOP_LIMIT_MS = 1000;
const CONTENT_TYPE = 'application/x-amz-json-1.0';
const ERRORS = {
  'access denied': 'com.amazon.coral.service#AccessDeniedException',
  'unknown access key': 'com.amazon.coral.service#UnrecognizedClientException',
};

/**
 * dynalite, with the reading of requests in our hands: its own throws where a client goes away in the middle of one, as
 * a worker that is killed does, and it opens the table to the pages of any origin.
 */
export async function startDynamoDb(options: { port: number; dataDir?: string; guard?: Guard }): Promise<Emulator> {
  const server = dynalite({ createTableMs: 0, ...(options.dataDir && { path: options.dataDir }) });
  const [answer] = server.listeners('request') as [RequestListener];
  server.removeAllListeners('request');
  const inHand = new Set<Promise<unknown>>();
  let isStopping = false;
  server.on('request', (request, response) => {
    if (isStopping) return response.destroy();
    const ended = endOf(response);
    inHand.add(ended);
    void ended.then(() => inHand.delete(ended));
    handOver(request, response, answer, options.guard).catch(() => response.destroy());
  });
  const url = await listenOnLoopback(server, options.port);
  const stop = async () => {
    isStopping = true;
    // What it has in hand when its store closes, dynalite throws at nobody.
    await Promise.race([Promise.all(inHand), wait(STOP_LIMIT_MS)]);
    await closeServer(server);
  };
  return { url, stop };
}

/** When it is answered; also where nobody is there any more to hear it, which the response itself does not tell. */
function endOf(response: ServerResponse): Promise<void> {
  const { end, destroy } = response;
  return new Promise((resolve) => {
    response.end = (...args: unknown[]) => {
      resolve();
      return Reflect.apply(end, response, args);
    };
    response.destroy = (error) => {
      resolve();
      return destroy.call(response, error);
    };
  });
}

async function handOver(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RequestListener,
  guard?: Guard,
): Promise<void> {
  const body = await readBody(request, REQUEST_LIMIT_BYTES);
  const { origin: _origin, ...headers } = request.headers;
  const refusal = guard?.({
    authorization: headers.authorization,
    target: headers['x-amz-target'],
    body: () => JSON.parse(String(body)),
  });
  if (refusal) {
    return sendJson(response, 400, { __type: ERRORS[refusal.reason], Message: refusal.message }, CONTENT_TYPE);
  }
  const { method, url } = request;
  answer(Object.assign(Readable.from([body]), { method, url, headers }) as unknown as IncomingMessage, response);
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import dynalite from 'dynalite';
import type { Emulator } from './emulator.ts';
import type { Guard } from './iam/access-control.ts';
import { closeServer, listenOnLoopback, readBody, sendJson } from './loopback-server.ts';

/** DynamoDB's own limit of a request. */
const REQUEST_LIMIT_BYTES = 16 * 1024 * 1024;
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
  server.on('request', (request, response) => {
    handOver(request, response, answer, options.guard).catch(() => response.destroy());
  });
  return { url: await listenOnLoopback(server, options.port), stop: () => closeServer(server) };
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

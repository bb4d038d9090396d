import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import dynalite from 'dynalite';
import type { Emulator } from './emulator.ts';
import { closeServer, listenOnLoopback, readBody } from './loopback-server.ts';

/** DynamoDB's own limit of a request. */
const REQUEST_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * dynalite, with the reading of requests in our hands: its own throws where a client goes away in the middle of one, as
 * a worker that is killed does, and it opens the table to the pages of any origin.
 */
export async function startDynamoDb(options: { port: number; dataDir?: string }): Promise<Emulator> {
  const server = dynalite({ createTableMs: 0, ...(options.dataDir && { path: options.dataDir }) });
  const [answer] = server.listeners('request') as [RequestListener];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    handOver(request, response, answer).catch(() => response.destroy());
  });
  return { url: await listenOnLoopback(server, options.port), stop: () => closeServer(server) };
}

async function handOver(request: IncomingMessage, response: ServerResponse, answer: RequestListener): Promise<void> {
  const body = await readBody(request, REQUEST_LIMIT_BYTES);
  const { origin: _origin, ...headers } = request.headers;
  const { method, url } = request;
  answer(Object.assign(Readable.from([body]), { method, url, headers }) as unknown as IncomingMessage, response);
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Nothing of the local stack is reachable from another machine. */
export const LOOPBACK = '127.0.0.1';

/** The message is one plain sentence for the person who started the stack. */
export class PortTakenError extends Error {
  override name = 'PortTakenError';
  constructor(port: number) {
    super(`Port ${port} is taken: stop what listens there, or give another first port with --port.`);
  }
}

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/**
 * @param port 0 for any free one
 * @returns the origin, such as `http://127.0.0.1:4747`
 * @throws PortTakenError
 */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
  } catch (error) {
    throw portError(error, port);
  }
  return originOf((server.address() as AddressInfo).port);
}

/**
 * Fails early where one of the ports is taken, not seconds later when everything else is ready.
 * @throws PortTakenError
 */
export async function expectFreePorts(first: number, count: number): Promise<void> {
  for (let port = first; port < first + count; port++) {
    const server = createServer();
    await listenOnLoopback(server, port);
    await closeServer(server);
  }
}

export function originOf(port: number): string {
  return `http://${LOOPBACK}:${port}`;
}

export function portError(error: unknown, port: number): unknown {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' ? new PortTakenError(port) : error;
}

/** Closes the port and every connection, also those in the middle of an answer. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/**
 * A body that is too large is read to its end all the same: a client that is still sending would not see the answer.
 * @throws BodyTooLargeError, and whatever a connection that breaks brings
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limitBytes) chunks.push(chunk);
  }
  if (length > limitBytes) throw new BodyTooLargeError(`the body is over ${limitBytes} bytes`);
  return Buffer.concat(chunks);
}

export function sendJson(response: ServerResponse, status: number, value: unknown, contentType = 'application/json') {
  response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(value));
}

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Wire } from './json-rpc.ts';

/** RFC 6455, 1.3 */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/**
 * The client's side of a WebSocket over a Unix socket, which is how `codex app-server --listen unix://` speaks. Node's
 * own WebSocket cannot reach such a socket. Text frames alone, no extensions.
 *
 * @throws where nobody listens, or who listens speaks something else
 */
export async function webSocket(socketPath: string): Promise<Wire> {
  const key = randomBytes(16).toString('base64');
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': 13,
    'Sec-WebSocket-Key': key,
  };
  const asked = request({ socketPath, path: '/', headers }).end();
  const [answer, socket, head] = await Promise.race([
    once(asked, 'upgrade'),
    once(asked, 'response').then(([{ statusCode }]) => {
      asked.destroy();
      throw new Error(`no WebSocket at ${socketPath}: status ${statusCode}`);
    }),
  ]);
  const accept = createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64');
  if (answer.headers['sec-websocket-accept'] === accept) return wireOver(socket, head);
  socket.destroy();
  throw new Error(`no WebSocket at ${socketPath}: a wrong key was accepted`);
}

function wireOver(socket: Duplex, head: Buffer): Wire {
  socket.unshift(head);
  // Without a listener a broken connection would end the process; `messages` ends, and says it all.
  socket.on('error', () => {});
  return {
    messages: messagesOf(socket),
    send: (message) => void (socket.writable && socket.write(masked(TEXT, Buffer.from(message)))),
    close: () => void socket.destroy(),
  };
}

async function* messagesOf(socket: Duplex): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const { isLast, opcode, payload } of framesOf(socket)) {
    if (opcode === PING) socket.write(masked(PONG, payload));
    if (opcode === CLOSE) return;
    if (opcode !== TEXT && opcode !== CONTINUATION) continue;
    parts.push(payload);
    if (!isLast) continue;
    yield Buffer.concat(parts).toString();
    parts = [];
  }
}

type Frame = { isLast: boolean; opcode: number; payload: Buffer };

async function* framesOf(socket: Duplex): AsyncGenerator<Frame> {
  const chunks: Buffer[] = [];
  let length = 0;
  let needed = 2;
  try {
    for await (const chunk of socket) {
      chunks.push(chunk);
      length += chunk.length;
      // Joined when a frame is whole and not before: a large one comes in many pieces.
      while (length >= needed) {
        const buffer = Buffer.concat(chunks);
        const { start, end } = extent(buffer);
        needed = end;
        chunks.splice(0, chunks.length, buffer);
        if (length < needed) break;
        const [first = 0] = buffer;
        yield { isLast: first >= 0x80, opcode: first & 0x0f, payload: buffer.subarray(start, end) };
        const rest = buffer.subarray(end);
        chunks.splice(0, chunks.length, rest);
        length = rest.length;
        needed = 2;
      }
    }
  } catch {
    // The connection broke: to whoever reads that is its end.
  }
}

/** Where the payload of the first frame lies; as far as the header is there, at least where the header ends. */
function extent(buffer: Buffer): { start: number; end: number } {
  const short = (buffer[1] ?? 0) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (buffer.length < start) return { start, end: start };
  if (short === 126) return { start, end: start + buffer.readUInt16BE(2) };
  if (short === 127) return { start, end: start + Number(buffer.readBigUInt64BE(2)) };
  return { start, end: start + short };
}

/** A client has to mask what it sends. */
function masked(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const { length } = payload;
  const size = Buffer.alloc(length < 126 ? 1 : length < 65_536 ? 3 : 9);
  size[0] = 0x80 | Math.min(length, length < 65_536 ? 126 : 127);
  if (size.length === 3) size.writeUInt16BE(length, 1);
  if (size.length === 9) size.writeBigUInt64BE(BigInt(length), 1);
  const body = Buffer.from(payload);
  for (let at = 0; at < length; at++) body[at] = (body[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return Buffer.concat([Buffer.of(0x80 | opcode), size, mask, body]);
}

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';

/** The server's side of one WebSocket on a Unix socket, byte by byte. */
export async function webSocketServer({ accept }: { accept?: string } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ws-'));
  const socketPath = path.join(folder, 's');
  const connected = Promise.withResolvers<Duplex>();
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accepted = accept ?? createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    );
    connected.resolve(socket);
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    socketPath,
    socket: connected.promise,
    stop: () => {
      server.close();
      void connected.promise.then((socket) => socket.destroy());
      rmSync(folder, { recursive: true });
    },
  };
}

/** A frame as a server sends it. */
export function frame(first: number, payload: string | Buffer): Buffer {
  const body = Buffer.from(payload);
  const { length } = body;
  if (length < 126) return Buffer.concat([Buffer.of(first, length), body]);
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header[0] = first;
  header[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) header.writeUInt16BE(length, 2);
  else header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, body]);
}

/** The first frame that a client sent, without its mask. */
export function unmasked(bytes: Buffer): { first: number; isMasked: boolean; payload: Buffer; size: number } {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  const mask = bytes.subarray(start, start + 4);
  const payload = bytes.subarray(start + 4, start + 4 + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return { first, isMasked: second >= 0x80, payload: Buffer.from(payload), size: start + 4 + length };
}

import { once } from 'node:events';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { webSocket } from '../../../runner/codex/web-socket.ts';
import { frame, unmasked, webSocketServer } from './web-socket-server.ts';

const TEXT = 0x81;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function connected() {
  const server = await webSocketServer();
  stops.push(server.stop);
  const wire = await webSocket(server.socketPath);
  onTestFinished(() => wire.close());
  const messages = wire.messages[Symbol.asyncIterator]();
  const next = async () => (await messages.next()).value;
  return { wire, next, messages, socket: await server.socket };
}

it.each([0, 1, 125, 126, 65_535, 65_536, 3_000_000])('carries a text of %i bytes, both ways', async (length) => {
  const { wire, next, socket } = await connected();
  const text = 'x'.repeat(length);
  socket.write(frame(TEXT, text));
  expect((await next()) === text).toBe(true);

  wire.send(text);
  let sent = Buffer.alloc(0);
  while (sent.length < length + 6) sent = Buffer.concat([sent, ...(await once(socket, 'data'))]);
  const { first, isMasked, payload } = unmasked(sent);
  expect([first, isMasked, payload.equals(Buffer.from(text))]).toEqual([TEXT, true, true]);
});

it('puts together what comes in pieces, and takes apart what comes at once', async () => {
  const { next, socket } = await connected();
  const bytes = Buffer.concat([
    frame(TEXT, 'é'.repeat(100)),
    frame(0x01, 'one '),
    frame(0x80, 'text'),
    frame(TEXT, 'three'),
  ]);
  for (const byte of bytes.subarray(0, 150)) {
    socket.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
  socket.write(bytes.subarray(150));
  expect([await next(), await next(), await next()]).toEqual(['é'.repeat(100), 'one text', 'three']);
});

it('answers a ping, also between the pieces of a text', async () => {
  const { next, socket } = await connected();
  socket.write(Buffer.concat([frame(0x01, 'one '), frame(0x89, 'there?'), frame(0x80, 'text')]));
  expect(await next()).toBe('one text');
  const [data] = await once(socket, 'data');
  expect(unmasked(data)).toMatchObject({ first: 0x8a, isMasked: true, payload: Buffer.from('there?') });
});

it.each<[string, (socket: Awaited<ReturnType<typeof connected>>['socket']) => void]>([
  ['the server says goodbye', (socket) => socket.write(frame(0x88, ''))],
  ['the server hangs up', (socket) => socket.end()],
  ['the connection breaks in the middle of a text', (socket) => socket.end(frame(TEXT, 'a text').subarray(0, 4))],
])('ends when %s', async (_what, happen) => {
  const { wire, messages, socket } = await connected();
  happen(socket);
  expect(await messages.next()).toEqual({ done: true, value: undefined });
  expect(() => wire.send('too late')).not.toThrow();
});

it('ends when it is closed here', async () => {
  const { wire, messages } = await connected();
  wire.close();
  expect(await messages.next()).toEqual({ done: true, value: undefined });
});

it('is not there where nobody listens', async () => {
  await expect(webSocket('/nonexistent/s')).rejects.toThrow('ENOENT');
});

it('takes no other key than its own', async () => {
  const server = await webSocketServer({ accept: 'another' });
  stops.push(server.stop);
  await expect(webSocket(server.socketPath)).rejects.toThrow('wrong key');
});

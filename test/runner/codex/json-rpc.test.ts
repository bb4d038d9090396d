import { expect, it } from 'vitest';
import {
  JsonRpc,
  RpcError,
  type RpcNotification,
  type RpcReply,
  type RpcRequest,
} from '../../../runner/codex/json-rpc.ts';

/** The other side of a connection: what it is sent, and what it says. */
function connected(answer: (request: RpcRequest) => Promise<RpcReply | undefined> = async () => undefined) {
  const sent: unknown[] = [];
  const reports: string[] = [];
  const notifications: RpcNotification[] = [];
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const wire = { messages: readable, send: (text: string) => void sent.push(JSON.parse(text)), close: () => {} };
  const rpc = new JsonRpc(wire, {
    answer,
    notified: (notification) => notifications.push(notification),
    report: (what) => reports.push(what),
  });
  const say = (message: unknown) => writer.write(typeof message === 'string' ? message : JSON.stringify(message));
  return { rpc, sent, reports, notifications, say, hangUp: () => writer.close() };
}

it('gives each call its own reply, in any order', async () => {
  const { rpc, sent, say } = connected();
  const calls = [rpc.call('one', { a: 1 }), rpc.call('two', {})];
  expect(sent).toEqual([
    { id: 1, method: 'one', params: { a: 1 } },
    { id: 2, method: 'two', params: {} },
  ]);
  await say({ id: 2, result: 'second' });
  await say({ id: 1, result: null });
  expect(await Promise.all(calls)).toEqual([null, 'second']);
});

it("rejects a call with the other side's refusal", async () => {
  const { rpc, say } = connected();
  const call = rpc.call('turn/steer', {});
  await say({ id: 1, error: { code: -32_600, message: 'no active turn' } });
  await expect(call).rejects.toEqual(new RpcError('turn/steer', 'no active turn', -32_600));
});

it('rejects what is called when the connection is lost, and after', async () => {
  const { rpc, hangUp } = connected();
  const call = rpc.call('one', {});
  const rejected = expect(call).rejects.toThrow('the connection was lost');
  await hangUp();
  await rpc.closed;
  await rejected;
  await expect(rpc.call('two', {})).rejects.toThrow('the connection is closed');
});

it('answers requests by their number, and hands notifications on', async () => {
  const { sent, notifications, say, hangUp, rpc } = connected(async ({ params }) => ({ result: params }));
  await say({ id: 0, method: 'ask', params: { a: 1 } });
  await say({ id: 'x', method: 'ask', params: { b: 2 } });
  await say({ method: 'tell', params: { c: 3 } });
  await hangUp();
  await rpc.closed;
  expect(sent).toEqual([
    { id: 0, result: { a: 1 } },
    { id: 'x', result: { b: 2 } },
  ]);
  expect(notifications).toEqual([{ method: 'tell', params: { c: 3 } }]);
});

it('does not reply where there is no answer', async () => {
  const { sent, say, hangUp, rpc } = connected(async () => undefined);
  await say({ id: 0, method: 'ask', params: {} });
  await hangUp();
  await rpc.closed;
  expect(sent).toEqual([]);
});

it('replies with an error where the answer fails, and reports it', async () => {
  const { sent, reports, say, hangUp, rpc } = connected(() => Promise.reject(new Error('broken')));
  await say({ id: 0, method: 'ask', params: {} });
  await hangUp();
  await rpc.closed;
  expect(sent).toEqual([{ id: 0, error: { code: -32_603, message: 'internal error' } }]);
  expect(reports).toEqual([expect.stringContaining('broken')]);
});

it.each([
  'no json',
  '[]',
  'null',
  '{}',
  '{"id":1}',
  '{"id":{},"method":"ask"}',
  '{"method":1}',
  '{"id":1,"error":"no"}',
  `"${'x'.repeat(1000)}"`,
])('reports the frame %s, and goes on', async (frame) => {
  const { reports, notifications, say, hangUp, rpc } = connected();
  await say(frame);
  await say({ method: 'tell' });
  await hangUp();
  await rpc.closed;
  expect(reports).toHaveLength(1);
  expect(reports[0]?.length).toBeLessThan(300);
  expect(notifications).toHaveLength(1);
});

it('reports a reply to a call that nobody made', async () => {
  const { reports, say, hangUp, rpc } = connected();
  await say({ id: 7, result: {} });
  await hangUp();
  await rpc.closed;
  expect(reports).toEqual([expect.stringContaining('nobody made')]);
});

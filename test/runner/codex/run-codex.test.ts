import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Ask, Asking } from '../../../runner/ask.ts';
import { readApproval } from '../../../runner/codex/approval-request.ts';
import type { RpcNotification, RpcRequest } from '../../../runner/codex/json-rpc.ts';
import {
  type CodexRun,
  type CodexSession,
  type RunEnd,
  runCodex,
  sessionAfter,
} from '../../../runner/codex/run-codex.ts';
import { TESTED_CODEX, versionIn } from '../../../runner/codex/tested-version.ts';
import { eventually } from '../../support/eventually.ts';
import { answered } from '../outcomes.ts';
import { changed, messagesOf, requestOf, toldBy } from './frames.ts';
import { frame, unmasked, webSocketServer } from './web-socket-server.ts';

it('a session is kept from the start of its turn on, and is busy until its end', () => {
  let session: CodexSession | undefined;
  const seen = toldBy('command_approved').map((told) => {
    session = sessionAfter(session, told);
    return [told.method, session?.busy];
  });
  const from = (method: string) => seen.findIndex(([told]) => told === method);
  const busy = seen.map(([, busy]) => busy);
  expect(busy.slice(0, from('turn/started'))).not.toContain(true);
  expect(new Set(busy.slice(from('turn/started'), from('turn/completed')))).toEqual(new Set([true]));
  expect(busy.slice(from('turn/completed'))).toEqual([false]);
  expect(session?.thread_id).toBe(requestOf('command_approved').params.threadId);
});

it.each(['turn/started', 'turn/completed'])("is not told by another thread's %s, as of a subagent", (method) => {
  const session = { thread_id: 't1', busy: true };
  expect(sessionAfter(session, { method, params: { threadId: 't2' } })).toBe(session);
  expect(sessionAfter(session, { method, params: null })).toBe(session);
});

it('tested is the version that the frames were recorded from', () => {
  const [initialized] = messagesOf('command_approved', 'codex');
  expect(versionIn(Object(initialized?.result).userAgent)).toBe(TESTED_CODEX);
});

it('a server that does not tell its version is of an unknown one', () => {
  expect(versionIn('codex')).toBe('of an unknown version');
});

type Said = { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown };
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A Codex that is found at its socket, with a turn of this scene at work; `resumed` is what it says to `thread/resume`. */
async function found(
  scene: 'command_approved' | 'file_change',
  resumed: (id: number | undefined, thread: object) => object[],
  { items = [], subagents = {} }: { items?: unknown[]; subagents?: Record<string, (id?: number) => object[]> } = {},
) {
  const server = await webSocketServer();
  stops.push(server.stop);
  const thread_id = String(requestOf(scene).params.threadId);
  const said: Said[] = [];
  const say = async (...messages: object[]) => {
    const bytes = messages.map((message) => frame(0x81, JSON.stringify(message)));
    (await server.socket).write(Buffer.concat(bytes));
  };
  const hear = (message: Said) => {
    said.push(message);
    const { id, method } = message;
    if (method === 'initialize') void say({ id, result: { userAgent: `us/${TESTED_CODEX} (Linux)` } });
    if (method === 'turn/steer' || method === 'turn/start') void say({ id, result: {} });
    const thread = { id: thread_id, status: { type: 'active' }, turns: [{ id: 'a', items }] };
    const { threadId } = Object(message.params);
    if (method === 'thread/loaded/list') void say({ id, result: { data: [thread_id, ...Object.keys(subagents)] } });
    if (method === 'thread/resume') void say(...(subagents[threadId]?.(id) ?? resumed(id, thread)));
  };
  void server.socket.then((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('data', (data) => {
      bytes = Buffer.concat([bytes, data]);
      for (let sent = unmasked(bytes); bytes.length >= sent.size; sent = unmasked(bytes)) {
        hear(JSON.parse(String(sent.payload)));
        bytes = bytes.subarray(sent.size);
        if (bytes.length < 2) break;
      }
    });
  });
  const asked: { asking: Asking; signal: AbortSignal | undefined; park: AbortSignal | undefined }[] = [];
  const ask: Ask = async (asking, signal, park) => {
    asked.push({ asking, signal, park });
    return new Promise((settle) => {
      park?.addEventListener('abort', () => settle({ state: 'parked' }));
      if (asking.questions[0]?.question.includes('a line')) settle(answered([['Approve']], 'yes'));
    });
  };
  const session: CodexSession = { thread_id, busy: true };
  const run: CodexRun = {
    ask,
    session,
    socket: server.socketPath,
    codex: { command: 'false', env: {} },
    thread: { cwd: '/work', approvalsReviewer: 'a_model' },
    warn: () => {},
    report: () => {},
  };
  const end = (given: Partial<CodexRun> = {}) => finish({ ...run, ...given });
  return { end, run, said, say, asked, thread_id, hangUp: async () => (await server.socket).destroy() };
}

async function finish(run: CodexRun): Promise<RunEnd> {
  const running = runCodex(run);
  for (;;) {
    const next = await running.next();
    if (next.done) return next.value;
  }
}

describe('a Codex that was found at its socket', () => {
  it('is asked for the open requests, and by nobody but us', async () => {
    const { end, said, say, thread_id } = await found('command_approved', (id, thread) => [{ id, result: { thread } }]);
    const ended = end();
    await eventually(() => said.some(({ method }) => method === 'thread/loaded/list'), 'the resume');
    await say({ method: 'turn/completed', params: { threadId: 'a subagent', turn: { id: 'b' } } });
    await say({ method: 'turn/completed', params: { threadId: thread_id, turn: { id: 'a' } } });
    expect(await ended).toEqual({ state: 'ended', session: { thread_id, busy: false } });
    expect(said.map(({ method }) => method)).toEqual([
      'initialize',
      'initialized',
      'thread/resume',
      'thread/loaded/list',
    ]);
    expect(said.at(-2)?.params).toMatchObject({
      threadId: thread_id,
      approvalPolicy: 'untrusted',
      approvalsReviewer: 'user',
    });
  });

  it('may send its request sooner than the diff that is asked about', async () => {
    const item = Object(
      toldBy('file_change').find(({ params }) => Object(params).item?.type === 'fileChange')?.params,
    ).item;
    const request = requestOf('file_change');
    const scene = await found('file_change', (id, thread) => [request, { id, result: { thread } }], {
      items: [item],
    });
    const ended = scene.end();
    await eventually(() => scene.said.find(({ id, method }) => id === request.id && !method), 'the reply');
    await scene.hangUp();
    await expect(ended).rejects.toThrow('Codex was lost');
    expect(scene.said.at(-1)).toEqual({ id: request.id, result: { decision: 'accept' } });
  });

  it('has its own requests again, whatever is known of identical ones', async () => {
    const first = requestOf('command_approved');
    const second: RpcRequest = { ...changed('command_approved', { itemId: 'call_2' }), id: 1 };
    const { request_id, call } = readApproval(first, () => undefined);
    const resumed = (id: number | undefined, thread: object) => [{ id, result: { thread } }, second, first];
    const { end, asked, hangUp } = await found('command_approved', resumed);
    const ended = end({ interrupted: [{ request_id, call }] });
    await eventually(() => asked.length === 2, 'both questions');
    await hangUp();
    await expect(ended).rejects.toThrow();
    expect(asked.map(({ asking }) => asking.request_id)).toEqual([
      readApproval(second, () => undefined).request_id,
      request_id,
    ]);
  });

  it("is asked for its subagents' requests, with their diffs, and one that is gone takes none of them away", async () => {
    const request: RpcRequest = changed('file_change', { threadId: 'child' });
    const started = toldBy('file_change').find(({ params }) => Object(params).item?.type === 'fileChange');
    const turns = [{ id: 'b', items: [Object(started?.params).item] }];
    const child = { id: 'child', status: { type: 'active', activeFlags: ['waitingOnApproval'] }, turns };
    const subagents = {
      gone: (id?: number) => [{ id, error: { code: -32_600, message: 'no such thread' } }],
      child: (id?: number) => [request, { id, result: { thread: child } }],
    };
    const resumed = (id: number | undefined, thread: object) => [{ id, result: { thread } }];
    const scene = await found('file_change', resumed, { subagents });
    const ended = scene.end();
    await eventually(() => scene.said.find(({ id, method }) => id === request.id && !method), 'the reply');
    await scene.hangUp();
    await expect(ended).rejects.toThrow('Codex was lost');
    expect(scene.said.at(-1)).toEqual({ id: request.id, result: { decision: 'accept' } });
  });

  it("whose turn has ended meanwhile takes its subagents' questions up, and cancels them", async () => {
    const request: RpcRequest = changed('command_approved', { threadId: 'child' });
    const child = { id: 'child', status: { type: 'active', activeFlags: ['waitingOnApproval'] } };
    // Both sides run in this process: after so many turns of its loop everything that was said is heard.
    const later = async () => {
      for (let turn = 0; turn < 50; turn++) await setImmediate();
      await scene.say(request);
    };
    const resumedChild = (id?: number) => {
      void later();
      return [{ id, result: { thread: child } }];
    };
    const resumed = (id: number | undefined, thread: object) => [
      { id, result: { thread: { ...thread, status: { type: 'idle' } } } },
    ];
    const scene = await found('command_approved', resumed, { subagents: { child: resumedChild } });
    expect(await scene.end()).toMatchObject({ state: 'ended' });
    expect(scene.asked).toHaveLength(1);
    expect(scene.asked[0]?.signal?.aborted).toBe(true);
  });

  it('and then lost leaves its questions open', async () => {
    const resumed = (id: number | undefined, thread: object) => [
      { id, result: { thread } },
      requestOf('command_approved'),
    ];
    const { end, asked, hangUp } = await found('command_approved', resumed);
    const ended = end();
    await eventually(() => asked.length === 1, 'the question');
    await hangUp();
    await expect(ended).rejects.toThrow('Codex was lost');
    expect(asked[0]?.park?.aborted).toBe(true);
  });

  it('has its questions left open by one who only stops listening', async () => {
    const resumed = (id: number | undefined, thread: object) => [
      { id, result: { thread } },
      requestOf('command_approved'),
    ];
    const { run, asked, say } = await found('command_approved', resumed);
    const asking = eventually(() => asked.length === 1, 'the question');
    void asking.then(() => say({ method: 'thread/status/changed', params: {} }));
    for await (const _notification of runCodex(run)) break;
    expect(asked[0]?.park?.aborted).toBe(true);
  });

  it('whose turn has ended meanwhile tells so', async () => {
    const resumed = (id: number | undefined, thread: object) => [
      { id, result: { thread: { ...thread, status: { type: 'idle' } } } },
    ];
    const { run, thread_id } = await found('command_approved', resumed);
    const told: RpcNotification[] = [];
    for await (const notification of runCodex(run)) told.push(notification);
    expect(told).toEqual([{ method: 'turn/completed', params: { threadId: thread_id, turn: { id: 'a', items: [] } } }]);
  });

  it('is given the next message of the user, too', async () => {
    const { end, said, hangUp } = await found('command_approved', (id, thread) => [{ id, result: { thread } }]);
    const ended = end({ prompt: 'And hurry.' });
    await eventually(() => said.some(({ method }) => method === 'turn/start'), 'the message');
    await hangUp();
    await expect(ended).rejects.toThrow();
    expect(JSON.stringify(said.at(-1)?.params)).toContain('And hurry.');
  });
});

it.each([undefined, { thread_id: 't1', busy: false }])(
  'without a message for it, the session %j has nothing to go on with, and no Codex is started',
  async (session) => {
    const codex = { command: 'false', env: {} };
    const ask: Ask = () => Promise.reject(new Error('nobody is asked'));
    const run: CodexRun = {
      ask,
      codex,
      socket: '/nonexistent/s',
      thread: { cwd: '/work' },
      ...(session && { session }),
    };
    expect(await finish(run)).toEqual({ state: 'ended', session });
  },
);

import { describe, expect, it } from 'vitest';
import type { Ask, Asking } from '../../../runner/ask.ts';
import { type AdapterOptions, CodexAdapter } from '../../../runner/codex/codex-adapter.ts';
import type { RpcReply, RpcRequest } from '../../../runner/codex/json-rpc.ts';
import type { GivenOutcome } from '../../../runner/run.ts';
import { answered } from '../outcomes.ts';
import { changed, messagesOf, requestOf, requestsOf, type Scene, toldBy } from './frames.ts';

const APPROVED = answered([['Approve']], 'yes');
const DENIED = answered([['Deny']], 'not on a Friday');
const UNAVAILABLE: GivenOutcome = { state: 'unavailable', message: 'the thread host is down' };
type Raised = { asking: Asking; signal: AbortSignal | undefined; settle: (outcome: GivenOutcome) => void };

/** An adapter as Codex meets it; a person answers by `settle`. */
function harnessed(options: Partial<AdapterOptions> = {}) {
  const raised: Raised[] = [];
  const reports: string[] = [];
  const ask: Ask = (asking, signal, park) =>
    new Promise((settle) => {
      raised.push({ asking, signal, settle });
      signal?.addEventListener('abort', () => settle({ state: 'cancelled', reason: 'the run ended' }));
      park?.addEventListener('abort', () => settle({ state: 'parked' }));
    });
  const adapter = new CodexAdapter({ ask, report: (what) => reports.push(what), ...options });
  const sent: object[] = [];
  const codex = {
    call: async (method: string, params: unknown) => {
      sent.push({ method, params });
      return {};
    },
  };
  const answer = async (request: RpcRequest, by: typeof codex = codex) => {
    const reply = await adapter.answer(request, by);
    if (reply) sent.push({ id: request.id, ...reply });
    return reply;
  };
  /** All of the recording up to its first request, which is then answered. */
  const play = (scene: Scene): Promise<RpcReply | undefined> => {
    const told = toldBy(scene);
    for (const each of told.slice(
      0,
      told.findIndex((each) => 'id' in each),
    ))
      adapter.notified(each);
    return answer(requestOf(scene));
  };
  const settle = (n: number, outcome: GivenOutcome) => raised[n]?.settle(outcome);
  return { adapter, answer, play, raised, reports, sent, settle };
}

/** What was sent from the first request on, as it was recorded; a call's number is the connection's. */
function recordedReplies(scene: Scene): object[] {
  return messagesOf(scene, 'us')
    .slice(4)
    .map(({ method, params, ...reply }) => (method ? { method, params } : reply));
}

it.each<[Scene, GivenOutcome]>([
  ['command_approved', APPROVED],
  ['command_denied', DENIED],
  ['command_unavailable', UNAVAILABLE],
  ['command_escalated', APPROVED],
  ['file_change', APPROVED],
  ['permissions', APPROVED],
  ['mcp_tool', APPROVED],
  ['questions', answered([['CSV import'], ['only on Mondays']])],
  ['questions_unavailable', UNAVAILABLE],
])('%s: answers as it did when the real Codex took it', async (scene, outcome) => {
  const { play, settle, sent } = harnessed();
  const replied = play(scene);
  expect(sent).toEqual([]);
  settle(0, outcome);
  await replied;
  expect(recordedReplies(scene)).not.toEqual([]);
  expect(sent).toEqual(recordedReplies(scene));
});

const REPLIES = {
  command_approved: {
    decline: { result: { decision: 'decline' } },
    undecided: { error: { code: -32_000, message: 'no decision was made' } },
  },
  permissions: {
    decline: { result: { permissions: {}, scope: 'turn' } },
    undecided: { error: { code: -32_000, message: 'no decision was made' } },
  },
  mcp_tool: {
    decline: { result: { action: 'decline', content: null, _meta: null } },
    undecided: { result: { action: 'decline', content: null, _meta: null } },
  },
};

describe.each(['command_approved', 'permissions', 'mcp_tool'] as const)('%s', (scene) => {
  it.each<[string, GivenOutcome, 'decline' | 'undecided', string]>([
    ['a denial', DENIED, 'decline', 'The user denied this request: not on a Friday'],
    ['anything but exactly Approve', answered([['approve']], ''), 'decline', 'The user denied this request: approve'],
    ['Approve and more', answered([['Approve', 'Approve']], 'twice'), 'decline', 'The user denied this request: twice'],
    [
      'a cancel',
      { state: 'cancelled', reason: 'superseded by a new question' },
      'undecided',
      'Approval cancelled: superseded by a new question. No decision was made.',
    ],
    [
      'no prompt',
      UNAVAILABLE,
      'undecided',
      'Approval unavailable: the thread host is down. No human saw or refused it.',
    ],
    [
      'a malformed outcome',
      { state: 'answered' } as GivenOutcome,
      'undecided',
      'Approval unavailable: the answer could not be read. No decision was made.',
    ],
  ])('%s is told in its own words first', async (_what, outcome, kind, words) => {
    const { play, settle, sent } = harnessed();
    const replied = play(scene);
    settle(0, outcome);
    await replied;
    const { threadId, turnId } = requestOf(scene).params;
    expect(sent).toEqual([
      {
        method: 'turn/steer',
        params: {
          threadId,
          expectedTurnId: turnId,
          input: [{ type: 'text', text: expect.stringContaining(`${words}\n\nThis is about: `), text_elements: [] }],
        },
      },
      { id: requestOf(scene).id, ...REPLIES[scene][kind] },
    ]);
  });
});

describe('questions of the model', () => {
  it('are asked as questions, whatever the policy, and never as an approval', () => {
    const { play, raised } = harnessed({ decide: () => 'deny' });
    void play('questions');
    expect(raised[0]?.asking.kind).toBe('ask_user_question');
    expect(raised[0]?.asking.questions.map(({ question }) => question)).toEqual(['Where from?', 'Keep a copy?']);
  });

  it.each<[string, GivenOutcome, string]>([
    [
      'a cancel',
      { state: 'cancelled', reason: 'superseded by a new question' },
      'Approval cancelled: superseded by a new question. No decision was made.',
    ],
    ['one answer too few', answered([['CSV import']]), 'the answer could not be read. No decision was made.'],
  ])('that end with %s are told so first', async (_what, outcome, words) => {
    const { play, settle, sent } = harnessed();
    const replied = play('questions');
    settle(0, outcome);
    expect(await replied).toEqual({ error: { code: -32_000, message: 'no decision was made' } });
    expect(sent.map((message) => JSON.stringify(message))).toEqual([
      expect.stringContaining(words),
      expect.stringContaining('-32000'),
    ]);
  });

  it('for a secret are not asked, and the model reads why', async () => {
    const [question] = requestOf('questions').params.questions as object[];
    const { answer, raised, sent } = harnessed();
    const request = changed('questions', { questions: [{ ...question, isSecret: true }] });
    expect(await answer(request)).toHaveProperty('error.code', -32_000);
    expect(raised).toEqual([]);
    expect(JSON.stringify(sent[0])).toContain('Approval unavailable: a secret is not asked for on a thread.');
  });
});

it('a turn that takes no message still gets its reply', async () => {
  const { answer, settle, reports } = harnessed();
  const replied = answer(requestOf('command_denied'), { call: () => Promise.reject(new Error('no active turn')) });
  settle(0, DENIED);
  expect(await replied).toEqual({ result: { decision: 'decline' } });
  expect(reports).toEqual([expect.stringContaining('no active turn')]);
});

it('asks under the name of the request, with what another process needs to know it again', async () => {
  const { play, raised } = harnessed({ allowed_user_ids: ['usr_anna'] });
  void play('command_approved');
  const { threadId, turnId, itemId } = requestOf('command_approved').params;
  expect(raised[0]?.asking).toEqual({
    request_id: `codex/${threadId}/${turnId}/${itemId}//0`,
    kind: 'approval',
    questions: [expect.objectContaining({ question: expect.stringContaining('touch made') })],
    session: { harness: 'codex', session_id: threadId, call: expect.stringMatching(/^[0-9a-f]{64}$/) },
    allowed_user_ids: ['usr_anna'],
  });
});

it('a file change whose diff is not known is not asked about', async () => {
  const { answer, raised, sent } = harnessed();
  expect(await answer(requestOf('file_change'))).toHaveProperty('error.code', -32_000);
  expect(raised).toEqual([]);
  expect(JSON.stringify(sent[0])).toContain('Approval unavailable: the changes to the files are not known.');
});

it("another thread's item of the same name lends its diff to nobody", async () => {
  const { adapter, answer, raised } = harnessed();
  const started = toldBy('file_change').find(({ params }) => JSON.stringify(params).includes('"fileChange"'));
  adapter.remember({ ...Object(started?.params), threadId: 'another' });
  expect(await answer(requestOf('file_change'))).toHaveProperty('error');
  expect(raised).toEqual([]);
});

it.each(['item/tool/call', 'attestation/generate', 'execCommandApproval', 'toString'])(
  'the request %s, which nobody here knows, is answered with an error and reported',
  async (method) => {
    const { answer, raised, reports } = harnessed();
    expect(await answer({ id: 5, method, params: {} })).toHaveProperty('error.code', -32_601);
    expect(reports).toEqual([expect.stringContaining(method)]);
    expect(raised).toEqual([]);
  },
);

describe('no reply at all', () => {
  it('while the runner goes away', async () => {
    const parking = new AbortController();
    const { play, sent } = harnessed({ park: parking.signal });
    const replied = play('command_approved');
    parking.abort();
    expect(await replied).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('when the run was stopped, whose prompt is cancelled', async () => {
    const stopping = new AbortController();
    const { play, raised, sent } = harnessed({ signal: stopping.signal });
    const replied = play('command_approved');
    stopping.abort();
    expect(await replied).toBeUndefined();
    expect(raised[0]?.signal?.aborted).toBe(true);
    expect(sent).toEqual([]);
  });

  const { threadId, turnId } = requestOf('command_approved').params;
  it.each([
    ['Codex gave the request up', 'serverRequest/resolved', { threadId, requestId: 0 }],
    ['the turn is over', 'turn/completed', { threadId, turn: { id: turnId } }],
  ])('when %s, whose prompt is cancelled', async (_what, method, params) => {
    const { adapter, play, raised, sent } = harnessed();
    const replied = play('command_approved');
    adapter.notified({ method, params });
    expect(await replied).toBeUndefined();
    expect(raised[0]?.signal?.aborted).toBe(true);
    expect(sent).toEqual([]);
  });

  it('when Codex gave the request up while the words were on their way', async () => {
    const { adapter, answer, settle } = harnessed();
    const params = { threadId, requestId: 0 };
    const codex = { call: async () => adapter.notified({ method: 'serverRequest/resolved', params }) as never };
    const replied = answer(requestOf('command_approved'), codex);
    let acknowledged = 0;
    settle(0, { ...DENIED, acknowledge: async () => void acknowledged++ });
    expect(await replied).toBeUndefined();
    expect(acknowledged).toBe(0);
  });

  it.each([
    ['another request', 'serverRequest/resolved', { threadId, requestId: 1 }],
    ["another thread's request", 'serverRequest/resolved', { threadId: 'another', requestId: 0 }],
    ['another turn', 'turn/completed', { threadId, turn: { id: 'another' } }],
  ])('is not what comes when %s is over', async (_what, method, params) => {
    const { adapter, play, settle } = harnessed();
    const replied = play('command_approved');
    adapter.notified({ method, params });
    settle(0, APPROVED);
    expect(await replied).toEqual({ result: { decision: 'accept' } });
  });
});

describe('a policy', () => {
  it('allows and denies without a person, and blames none', async () => {
    const { answer, raised, sent } = harnessed({ decide: ({ tool }) => (tool === 'exec_command' ? 'allow' : 'deny') });
    expect(await answer(requestOf('command_approved'))).toEqual({ result: { decision: 'accept' } });
    expect(await answer(requestOf('permissions'))).toHaveProperty('error');
    expect(JSON.stringify(sent[1])).toContain('No person was asked.');
    expect(raised).toEqual([]);
  });

  it.each<[string, AdapterOptions['decide']]>([
    ['asks', () => 'ask'],
    ['cannot say', () => Promise.reject as never],
    ['fails', () => JSON.parse('')],
  ])('that %s leaves it to a person', async (_what, decide) => {
    const { play, raised } = harnessed({ ...(decide && { decide }) });
    void play('command_approved');
    expect(raised).toHaveLength(1);
  });

  it('that allows the command alone allows nothing that is asked for beside it', async () => {
    const decide: AdapterOptions['decide'] = ({ tool }) => (tool === 'exec_command' ? 'allow' : 'ask');
    const { answer, raised } = harnessed({ decide });
    void answer(changed('command_approved', { additionalPermissions: { network: { enabled: true } } }));
    expect(raised).toHaveLength(1);
  });
});

describe('after a lost turn', () => {
  const call = async () => {
    const { play, raised } = harnessed();
    void play('command_approved');
    return Object(raised[0]?.asking.session).call as string;
  };

  it('an identical call goes on with the prompt it had, once', async () => {
    const { answer, raised } = harnessed({ interrupted: [{ request_id: 'before', call: await call() }] });
    void answer(changed('command_approved', { turnId: 'next', itemId: 'call_2' }));
    void answer({ ...changed('command_approved', { turnId: 'next', itemId: 'call_3' }), id: 1 });
    expect(raised.map(({ asking }) => asking.request_id === 'before')).toEqual([true, false]);
  });

  it('another call is another question', async () => {
    const { answer, raised } = harnessed({ interrupted: [{ request_id: 'before', call: await call() }] });
    void answer(changed('command_approved', { command: 'rm -rf /' }));
    expect(raised[0]?.asking.request_id).not.toBe('before');
  });
});

it('an outcome is acknowledged as soon as Codex has the reply, and not before', async () => {
  const { adapter, play, settle } = harnessed();
  let acknowledged = 0;
  const replied = play('command_approved');
  settle(0, { ...APPROVED, acknowledge: async () => void acknowledged++ });
  await replied;
  expect(acknowledged).toBe(0);
  for (const told of toldBy('command_approved')) if (!('id' in told)) adapter.notified(told);
  expect(acknowledged).toBe(1);
});

it('several requests at once are each asked about and answered by themselves', async () => {
  const { answer, raised, settle } = harnessed();
  const [first, second] = requestsOf('two_commands').map((request) => answer(request));
  expect(raised).toHaveLength(2);
  settle(1, DENIED);
  settle(0, APPROVED);
  expect(await first).toEqual({ result: { decision: 'accept' } });
  expect(await second).toEqual({ result: { decision: 'decline' } });
});

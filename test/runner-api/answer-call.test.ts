import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownField } from '#core/item.ts';
import type { Ports } from '#core/ports.ts';
import { OUTBOX_LIMIT } from '#core/prompting/slot.ts';
import { answerCall } from '../../functions/runner-api/answer-call.ts';
import { FaultyProcess } from '../crash/faults.ts';
import { Outside } from '../crash/outside.ts';
import { startTable, type TestTable } from '../support/dynamodb.ts';

const THREAD_ROUTE = 'POST /v1/threads/{revision_id}/{session_id}/{alias}';
const PROMPTS = `${THREAD_ROUTE}/prompts`;
const CANCEL = `${PROMPTS}/{prompt_id}/cancel`;
const ACK = `${PROMPTS}/{prompt_id}/ack`;
const ATTACH = `${THREAD_ROUTE}/attach`;
const UNKNOWN = 'prm_01J00000000000000000000000';

let table: TestTable;
let worlds = 0;
let outside: Outside;
beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table.stop());

const fresh = () => {
  outside = new Outside(table, `api-${++worlds}`, undefined);
  return outside;
};
const ports = (more: Partial<Ports> = {}): Ports => ({ ...outside.ports(new FaultyProcess(undefined)), ...more });
const call = (route: string, body: unknown, path: object = {}, more: Partial<Ports> = {}, caller?: string) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '').replace(/^""$/, '');
  return answerCall(ports(more), route, { ...outside.thread, ...path }, text, caller);
};
const options = [{ label: 'Approve' }, { label: 'Deny' }];
const raise = (more: object = {}) => ({
  request_id: 'one',
  kind: 'approval',
  questions: [{ question: 'one?', options }],
  ...more,
});
const idOf = (answer: unknown) => String(ownField(ownField(answer, 'prompt'), 'prompt_id'));
const raised = async (more: object = {}) => idOf((await call(PROMPTS, raise(more))).answer);
const refusingHost = () => ({
  threadHost: {
    ...ports().threadHost,
    post: async () => ({ outcome: 'refused', why: 'forbidden (HTTP 403)' }) as const,
  },
});

describe('raise', () => {
  it('201 with the prompt and its item; the same request again: 200, the same prompt, in its present state', async () => {
    fresh();
    const first = await call(PROMPTS, raise());
    expect(first).toMatchObject({
      status: 201,
      answer: { prompt: { kind: 'approval', prompt_state: 'pending' }, item_id: 'itm_1' },
    });
    const again = await call(PROMPTS, raise());
    expect([again.status, idOf(again.answer)]).toEqual([200, idOf(first.answer)]);
    await outside.deliver(outside.say('yes'));
    expect(await call(PROMPTS, raise())).toMatchObject({
      status: 200,
      answer: {
        prompt: {
          prompt_state: 'answered',
          answers: [{ question: 'one?', answer: ['Approve'] }],
          item: { user_id: 'usr_anna', content: [{ type: 'text', text: 'yes' }] },
        },
      },
    });
    expect(outside.host.items(outside.thread)).toHaveLength(3);
  });

  it('names what it superseded', async () => {
    fresh();
    const superseded = await raised();
    expect(await call(PROMPTS, raise({ request_id: 'two' }))).toMatchObject({ status: 201, answer: { superseded } });
  });

  it.each([
    ['no JSON', '{', 400, 'invalid_prompt'],
    ['no body', '', 400, 'invalid_prompt'],
    ['no question', raise({ questions: [] }), 400, 'invalid_prompt'],
    ['another runner that is not configured', raise({ runner: 'nobody' }), 400, 'invalid_prompt'],
    [
      'texts over 64 KiB',
      raise({ kind: 'text', questions: [{ question: 'x'.repeat(64 * 1024 + 1) }] }),
      413,
      'prompt_too_large',
    ],
    ['a body over the limit', ' '.repeat(160 * 1024 + 1), 413, 'prompt_too_large'],
  ])('refuses %s', async (_, body, status, error) => {
    fresh();
    const { runnerQueues } = ports();
    const more = { runnerQueues: { ...runnerQueues, has: (runner: string) => runner === 'default' } };
    expect(await call(PROMPTS, body, {}, more)).toMatchObject({ status, answer: { error } });
    expect(outside.host.items(outside.thread)).toEqual([]);
  });

  it('503 where the host refuses: nothing is open, nobody is said to have refused, and it may be asked again', async () => {
    fresh();
    const { status, answer } = await call(PROMPTS, raise(), {}, refusingHost());
    expect([status, answer?.error]).toEqual([503, 'prompt_unavailable']);
    expect(answer?.message).toMatch(/^Approval unavailable: .*No human saw or refused it/);
    expect(await outside.attach()).toMatchObject({ open: null, unacknowledged: [] });
    expect((await call(PROMPTS, raise())).status).toBe(201);
  });

  it('503 for good where nobody knows whether the question reached the thread', async () => {
    fresh();
    const lost = {
      threadHost: { ...ports().threadHost, post: async () => ({ outcome: 'unknown', why: 'no answer' }) as const },
    };
    expect((await call(PROMPTS, raise(), {}, lost)).status).toBe(503);
    expect((await call(PROMPTS, raise())).status).toBe(503);
    expect((await call(PROMPTS, raise({ request_id: 'anew' }))).status).toBe(201);
  });

  it('503 while the outbox is at its bound, and nothing in it is lost', async () => {
    fresh();
    for (let n = 0; n < OUTBOX_LIMIT; n++) {
      await raised({ request_id: `r${n}` });
      const silent = {
        threadHost: { ...ports().threadHost, post: async () => ({ outcome: 'refused', why: 'forbidden' }) as const },
      };
      expect(
        (await call(CANCEL, { reason: 'ended' }, { prompt_id: await raised({ request_id: `r${n}` }) }, silent)).status,
      ).toBe(200);
    }
    const away = { threadHost: { ...refusingHost().threadHost, findOwn: () => Promise.reject(new Error('away')) } };
    expect(await call(PROMPTS, raise({ request_id: 'one more' }), {}, away)).toMatchObject({
      status: 503,
      answer: { error: 'prompt_unavailable' },
    });
    const { slot } = await ports().store.read(outside.thread);
    expect(slot.outbox).toHaveLength(OUTBOX_LIMIT);
    await outside.calmDown();
    expect((await call(PROMPTS, raise({ request_id: 'one more' }))).status).toBe(201);
  });
});

describe('cancel', () => {
  it('200 with what won: the cancel, its repeat, or the answer that came before', async () => {
    fresh();
    const prompt_id = await raised();
    for (const reason of ['the run ended', 'something else']) {
      expect(await call(CANCEL, { reason }, { prompt_id })).toMatchObject({
        status: 200,
        answer: { prompt: { prompt_state: 'cancelled', reason: 'the run ended' } },
      });
    }
    const answered = await raised({ request_id: 'two' });
    await outside.deliver(outside.say('no'));
    expect(await call(CANCEL, { reason: 'late' }, { prompt_id: answered })).toMatchObject({
      status: 200,
      answer: { prompt: { prompt_state: 'answered', answers: [{ question: 'one?', answer: ['Deny'] }] } },
    });
  });

  it.each([
    ['an unknown prompt', UNKNOWN, { reason: 'x' }, 404, 'unknown_prompt'],
    ['what is no prompt id', '../slot', { reason: 'x' }, 404, 'unknown_prompt'],
    ['no reason', UNKNOWN, {}, 400, 'invalid_request'],
    ['a blank reason', UNKNOWN, { reason: ' ' }, 400, 'invalid_request'],
  ])('refuses %s', async (_, prompt_id, body, status, error) => {
    fresh();
    expect(await call(CANCEL, body, { prompt_id })).toMatchObject({ status, answer: { error } });
  });

  it('of a prompt of another thread: 404, and it stays open there', async () => {
    const elsewhere = fresh();
    const prompt_id = await raised();
    fresh();
    expect((await call(CANCEL, { reason: 'x' }, { prompt_id })).status).toBe(404);
    expect(await elsewhere.attach()).toMatchObject({ open: { prompt_id } });
  });
});

describe('ack', () => {
  it('204, also again; 404 for an unknown prompt; never for one that is open', async () => {
    fresh();
    const prompt_id = await raised();
    expect(await call(ACK, undefined, { prompt_id })).toMatchObject({
      status: 409,
      answer: { error: 'no_outcome_yet' },
    });
    await outside.deliver(outside.say('yes'));
    for (let times = 0; times < 2; times++) expect(await call(ACK, undefined, { prompt_id })).toEqual({ status: 204 });
    expect(await outside.attach()).toEqual({ open: null, unacknowledged: [] });
    expect((await call(ACK, undefined, { prompt_id: UNKNOWN })).status).toBe(404);
  });
});

describe('attach', () => {
  it('tells the open prompt whole, with session and request, and what nobody acknowledged, oldest first', async () => {
    fresh();
    const first = await raised({ request_id: 'first' });
    await outside.deliver(outside.say('yes'));
    outside.now += 1000;
    const second = await raised({ request_id: 'second' });
    outside.now += 1000;
    const third = await raised({ request_id: 'third', session: { step: 3 } });
    expect(await call(ATTACH, undefined)).toMatchObject({
      status: 200,
      answer: {
        open: {
          prompt_id: third,
          kind: 'approval',
          prompt_state: 'pending',
          request_id: 'third',
          session: { step: 3 },
          questions: [{ question: 'one?' }],
        },
        unacknowledged: [{ message_id: `${first}.answered` }, { message_id: `${second}.cancelled` }],
      },
    });
  });

  it('503, never "nothing is open", where a thread that the table does not know cannot be read', async () => {
    fresh();
    const unreadable = { threadHost: { ...ports().threadHost, list: () => Promise.reject(new Error('away')) } };
    expect(await call(ATTACH, {}, {}, unreadable)).toMatchObject({
      status: 503,
      answer: { error: 'thread_host_unavailable' },
    });
  });
});

describe('a runner', () => {
  it.each([
    [PROMPTS, raise({ runner: 'default' })],
    [ATTACH, { runner: 'default' }],
  ])('names itself only: %s', async (route, body) => {
    fresh();
    for (const caller of [undefined, 'research']) {
      expect(await call(route, body, {}, {}, caller)).toMatchObject({
        status: 403,
        answer: { error: 'not_your_runner' },
      });
    }
    expect((await ports().store.read(outside.thread)).slot.rev).toBe(0);
    expect((await call(route, body, {}, {}, 'default')).status).toBeLessThan(300);
    expect((await ports().store.read(outside.thread)).slot.runner).toBe('default');
  });
});

it.each([
  ['a path that names no thread', PROMPTS, { alias: '' }, 400],
  ['a route that is none', `${THREAD_ROUTE}/nothing`, {}, 404],
])('%s is refused', async (_, route, path, status) => {
  fresh();
  expect((await call(route, raise(), path)).status).toBe(status);
});

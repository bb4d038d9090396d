import { describe, expect, it } from 'vitest';
import type { PromptAnswered } from '#core/runner-message.ts';
import { outcomeMessage } from '#core/runner-message.ts';
import { askPerson } from '../../runner/ask-person.ts';
import type { Pause } from '../../runner/call-again.ts';
import { type PromptNow, type Raised, type RunnerApi, RunnerApiError } from '../../runner/runner-api.ts';
import { type Told, Waiting } from '../../runner/waiting.ts';
import { eventually } from '../support/eventually.ts';
import { answered, item, PROMPT_ID, THREAD } from '../support/given.ts';

/** One asking against an API that does what a test says, with pauses that take no time. */
const ASKING = {
  request_id: 'req_1',
  kind: 'approval' as const,
  questions: [{ question: 'Run it?', options: [{ label: 'Approve' }, { label: 'Deny' }] }],
};
const pending: PromptNow = { ...ASKING, prompt_id: PROMPT_ID, prompt_state: 'pending' };
const raised = (prompt: PromptNow = pending): Raised => ({ prompt, item_id: 'itm_question' });
const answer = outcomeMessage(THREAD, answered(), item('yes')) as Told;
const cancelled = outcomeMessage(THREAD, answered({ state: 'cancelled', reason: 'why' } as never), undefined) as Told;
const ANSWERED = { state: 'answered', answers: [{ question: 'Run it?', answer: ['Approve'] }] };
const refusal = (status: number, code: string) => new RunnerApiError(status, code, 'Because.');

type Step = (() => unknown) | Error;
function start(script: { raise?: Step[]; cancel?: Step[]; attach?: Step[] }, pause: Pause = async () => {}) {
  const waiting = new Waiting();
  const [ended, park] = [new AbortController(), new AbortController()];
  const calls: string[] = [];
  const next = (call: 'raise' | 'cancel' | 'attach') => async (): Promise<never> => {
    calls.push(call);
    const step = script[call]?.shift();
    if (step === undefined) return new Promise(() => {});
    if (step instanceof Error) throw step;
    return step() as never;
  };
  const api: RunnerApi = { raise: next('raise'), cancel: next('cancel'), attach: next('attach'), ack: async () => {} };
  const outcome = askPerson({ api, waiting, pause }, THREAD, ASKING, ended.signal, park.signal);
  const tell = (told: Told) => waiting.tell({ thread: THREAD, request_id: 'req_1' }, told);
  return { outcome, calls, tell, ended, park };
}
/** Waits as long as the process does nothing else. */
const forEver = (_ms?: number, signal?: AbortSignal) =>
  new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

describe('a raise that fails', () => {
  it.each([
    ['no connection', new TypeError('fetch failed')],
    ['a 500', refusal(500, 'http_500')],
    ['a 503 that does not speak of the prompt', refusal(503, 'thread_host_unavailable')],
    ['a 429', refusal(429, 'http_429')],
  ])('passes by: %s', async (_, error) => {
    const { outcome, tell, calls } = start({ raise: [error, error, () => raised()] }, async (ms) =>
      ms < 60_000 ? undefined : forEver(),
    );
    await eventually(() => calls.length === 3, 'the third raise');
    tell(answer);
    expect((await outcome).outcome).toMatchObject(ANSWERED);
    expect(calls).toEqual(['raise', 'raise', 'raise']);
  });

  it.each([
    ['prompt_unavailable', refusal(503, 'prompt_unavailable'), 'Because.'],
    [
      'a 400',
      refusal(400, 'invalid_prompt'),
      'Approval unavailable: the runner API answered 400 invalid_prompt: Because.',
    ],
    ['a 403', refusal(403, 'http_403'), 'Approval unavailable: the runner API answered 403 http_403: Because.'],
  ])('does not pass by: %s', async (_, error, message) => {
    const { outcome, calls } = start({ raise: [error] });
    expect((await outcome).outcome).toEqual({ state: 'unavailable', message });
    expect(calls).toEqual(['raise']);
  });

  it('for minutes is unavailable, and says what stands in the way', async () => {
    const error = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
    const { outcome, calls } = start({ raise: Array(20).fill(error) });
    expect((await outcome).outcome).toEqual({
      state: 'unavailable',
      message: 'Approval unavailable: the runner API could not be reached (ECONNREFUSED).',
    });
    expect(calls).toHaveLength(10);
  });
});

describe('an outcome', () => {
  it('that is faster than the reply of the raise is not missed', async () => {
    const { outcome, tell } = start({});
    tell(answer);
    expect((await outcome).outcome).toMatchObject(ANSWERED);
  });

  it('that settled before is looked for among those that nobody acknowledged', async () => {
    const others = { ...cancelled, request_id: 'req_0' };
    const attach = [new TypeError('fetch failed'), () => ({ open: null, unacknowledged: [others, answer] })];
    const { outcome } = start({ raise: [() => raised({ ...pending, prompt_state: 'answered' })], attach });
    expect(await outcome).toMatchObject({ outcome: ANSWERED, prompt_id: PROMPT_ID });
  });

  it('that was acknowledged before is told by the API, with its item', async () => {
    const { prompt, item } = answer as PromptAnswered;
    const { outcome } = start({ raise: [() => raised({ ...pending, ...prompt, item })] });
    expect(await outcome).toMatchObject({ outcome: ANSWERED, prompt_id: PROMPT_ID });
  });

  it('that was acknowledged before, and whose item is gone, is not made up', async () => {
    const none = () => ({ open: null, unacknowledged: [] });
    const { outcome } = start({ raise: [() => raised({ ...pending, prompt_state: 'answered' })], attach: [none] });
    expect((await outcome).outcome).toMatchObject({ state: 'unavailable' });
  });

  it('that was cancelled is told by the raise itself', async () => {
    const prompt: PromptNow = { ...pending, prompt_state: 'cancelled', reason: 'the run ended' };
    const { outcome } = start({ raise: [() => raised(prompt)] });
    expect(await outcome).toEqual({ outcome: { state: 'cancelled', reason: 'the run ended' }, prompt_id: PROMPT_ID });
  });

  it.each([
    ['cannot be read', { type: 'malformed' }],
    [
      'answers another question',
      outcomeMessage(THREAD, answered({ answers: [{ question: 'Other?', answer: [] }] } as never), item('x')),
    ],
    ['answers nothing', outcomeMessage(THREAD, answered({ answers: [] } as never), item('x'))],
    [
      'answers more than was asked',
      outcomeMessage(
        THREAD,
        answered({
          answers: [...answered().questions, ...answered().questions].map(({ question }) => ({
            question,
            answer: ['Approve'],
          })),
        } as never),
        item('x'),
      ),
    ],
    ['is of another kind', outcomeMessage(THREAD, answered({ kind: 'text' }), item('x'))],
  ])('that %s fails closed', async (_, told) => {
    const { outcome, tell } = start({ raise: [() => raised()] }, forEver);
    tell(told as Told);
    expect((await outcome).outcome).toMatchObject({
      state: 'unavailable',
      message: expect.stringMatching(/^Approval unavailable: /),
    });
  });

  it('that another process took from the queue is found by looking again, also after the API was away', async () => {
    const settled: PromptNow = { ...pending, prompt_state: 'answered' };
    const away = Array(10).fill(new TypeError('fetch failed'));
    const { outcome } = start({
      raise: [() => raised(), () => raised(), ...away, () => raised(settled)],
      attach: [() => ({ open: null, unacknowledged: [answer] })],
    });
    expect((await outcome).outcome).toMatchObject(ANSWERED);
  });
});

describe('the end of a run', () => {
  it('cancels the prompt, once it is raised', async () => {
    const reply = Promise.withResolvers<Raised>();
    const prompt = { ...pending, prompt_state: 'cancelled', reason: 'the run ended' };
    const { outcome, ended, calls } = start({ raise: [() => reply.promise], cancel: [() => prompt] }, forEver);
    ended.abort();
    expect(calls).toEqual(['raise']);
    reply.resolve(raised());
    expect((await outcome).outcome).toEqual({ state: 'cancelled', reason: 'the run ended' });
    expect(calls).toEqual(['raise', 'cancel']);
  });

  it('that comes after the answer is told the answer', async () => {
    const { outcome, ended } = start(
      {
        raise: [() => raised()],
        cancel: [() => ({ ...pending, prompt_state: 'answered' })],
        attach: [() => ({ open: null, unacknowledged: [answer] })],
      },
      forEver,
    );
    ended.abort();
    expect((await outcome).outcome).toMatchObject(ANSWERED);
  });
});

it('parked, nothing is called any more and the prompt is left as it is', async () => {
  const { outcome, park, ended, calls } = start({ raise: [() => raised()] }, forEver);
  park.abort();
  ended.abort();
  expect(await outcome).toEqual({ outcome: { state: 'parked' } });
  await new Promise(setImmediate);
  expect(calls).toEqual(['raise']);
});

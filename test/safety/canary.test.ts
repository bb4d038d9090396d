import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import { ANNA, BEN, eventOf, type QuietStack, RUNNER, startQuietStack } from './quiet-stack.ts';

/**
 * Logs, metrics and error answers hold ids, lengths, kinds and paths (I16). Every place of every scenario where somebody
 * can put a text has a canary of its own; all scenarios run through the real stack, and no canary may be seen but where
 * its text belongs.
 */
const MARK = 'cnry';
const canary = (scenario: string, place: string) => `Cnry-${scenario}-${place}-`;
/** A key that no HTTP header can hold: what refuses it quotes it. */
const UNUSABLE_KEY = `${canary('key', 'secret')}\nof two lines`;

const lines: string[] = [];
const log = (source: string, line: string) => void lines.push(`${source} ${line}`);
const refusals: { status: number; text: string }[] = [];
const stops = new StopStack();
/** What the host says in place of its own answer, by a thread's session. */
const sick = new Map<string, { status: number; body: string } | 'hangs_up'>();
let hostKnowsUs = false;
let stack: QuietStack;

beforeAll(async () => {
  const says = (path: string, body: string) => {
    if (path.endsWith('/users/me')) return hostKnowsUs ? undefined : { status: 200, body: canary('users-me', 'body') };
    return sick.get(body === '' ? '' : JSON.parse(body).session_id);
  };
  stack = await startQuietStack(await assembly(), log, stops, { says });
}, 90_000);
afterAll(() => stops.stopAll());

// biome-ignore lint/suspicious/noExplicitAny: what comes back is looked at by the tests
type Answer = { status: number; json: any };
/** What refuses is kept to be looked at. */
async function kept(answer: Promise<Response>): Promise<Answer> {
  const { status, text } = await answer.then(async (given) => ({ status: given.status, text: await given.text() }));
  if (status >= 400) refusals.push({ status, text });
  return { status, json: text === '' ? undefined : JSON.parse(text) };
}
const call = (thread: Thread, path: string, body?: unknown) => kept(stack.call(thread, path, body));
const webhook = (body: string, headers?: Record<string, string>) => kept(stack.recorded(body, headers)());
const logged = (text: string, ms?: number) => eventually(() => lines.some((line) => line.includes(text)), text, ms);

const threadOf = (session_id: string): Thread => ({ revision_id: 'rev', session_id, alias: 'main' });
const APPROVE_DENY = [{ label: 'Approve' }, { label: 'Deny' }];
const approval = (scenario: string, request_id = scenario) => ({
  request_id,
  kind: 'approval',
  questions: [{ question: canary(scenario, 'question'), options: APPROVE_DENY }],
});
const choice = (scenario: string) => ({
  request_id: scenario,
  kind: 'ask_user_question',
  session: { [canary(scenario, 'session-key')]: canary(scenario, 'session') },
  questions: [
    {
      question: canary(scenario, 'question'),
      [canary(scenario, 'field')]: canary(scenario, 'value'),
      options: [{ label: canary(scenario, 'label'), description: canary(scenario, 'description') }, { label: 'plain' }],
    },
    { question: canary(scenario, 'second') },
  ],
});

async function says(thread: Thread, words: string, metadata?: Record<string, unknown>, user = ANNA): Promise<Item> {
  const item = await stack.posts(user, thread, {
    content: [{ type: 'text', text: words }],
    ...(metadata && { metadata }),
  });
  expect((await webhook(eventOf(thread, item))).status).toBe(202);
  return item;
}
async function asks(thread: Thread, raise: object): Promise<string> {
  const { status, json } = await call(thread, 'prompts', raise);
  expect(status).toBe(201);
  return json.prompt.prompt_id;
}
const audited = (thread: Thread) =>
  eventually(async () => (await stack.itemsOf(thread)).length > 2, `the audit of ${thread.session_id}`);

describe('every scenario with canaries in it', { timeout: 60_000 }, () => {
  it('a host that does not say whose key we hold', async () => {
    const thread = threadOf('users-me');
    await asks(thread, approval('users-me'));
    await says(thread, canary('users-me', 'answer'));
    await logged('own_user_unknown');
    await logged('item_retried');
    expect((await call(threadOf('users-me-new'), 'attach', {})).status).toBe(503);
    hostKnowsUs = true;
    await stack.heard(thread, 'prompt_answered', 30_000);
  });

  it('an answer in words, one by the structured set, one refused, and repeats', async () => {
    const thread = threadOf('words');
    const prompt_id = await asks(thread, choice('words'));
    await says(thread, canary('words', 'answer'));
    const told = await stack.heard(thread, 'prompt_answered');
    // They do pass through: a canary that is nowhere would prove nothing.
    for (const place of ['answer', 'question', 'second', 'session', 'session-key']) {
      expect(JSON.stringify(told)).toContain(canary('words', place));
    }
    await audited(thread);
    expect((await call(thread, 'prompts', choice('words'))).status).toBe(200);
    await call(thread, `prompts/${prompt_id}/ack`);

    const structured = threadOf('structured');
    await asks(structured, approval('structured'));
    const answers = [{ question: canary('structured', 'question'), answer: [canary('structured', 'answer')] }];
    await says(structured, canary('structured', 'summary'), { answers });
    await stack.heard(structured, 'prompt_answered');

    for (const [reason, given] of Object.entries({
      malformed_entry: [{ question: canary('refused', 'unknown'), answer: canary('refused', 'shape') }],
      unknown_question: [{ question: canary('refused', 'unknown'), answer: [canary('refused', 'label')] }],
      wrong_number: [],
      not_a_list: { [canary('refused', 'key')]: canary('refused', 'value') },
    })) {
      const refused = threadOf(`refused-${reason}`);
      await asks(refused, approval('refused'));
      await says(refused, canary('refused', 'text'), { answers: given });
      await stack.heard(refused, 'prompt_answered');
      await logged(`"refused":"${reason}"`);
    }
  });

  it('next turns and ignored items, of every reason', async () => {
    const thread = threadOf('turns');
    const early = await stack.posts(ANNA, thread, { content: [{ type: 'text', text: canary('turns', 'early') }] });
    await says(thread, canary('turns', 'turn'), { [canary('turns', 'key')]: canary('turns', 'value') });
    await logged('no_open_prompt');
    await asks(thread, { ...approval('turns'), allowed_user_ids: ['usr_ben'] });
    await webhook(eventOf(thread, early));
    await logged('written_before_the_question');
    await says(thread, canary('turns', 'not-allowed'));
    await logged('not_allowed');
    await says(thread, canary('turns', 'stale'), { prompt_id: canary('turns', 'named') }, BEN);
    await logged('names_another_prompt');
    await says(thread, canary('turns', 'own'), { [canary('turns', 'own-key')]: canary('turns', 'own-value') }, RUNNER);
    await logged('own_item');
    await webhook(eventOf(thread, (await stack.itemsOf(thread))[2] as Item));
    await logged('confirm_posted');
    for (const type of ['pending_prompt', 'pending_prompt_resolved']) {
      await says(thread, 'x', { type, prompt: { prompt_id: canary('turns', type) } }, RUNNER);
    }
    await logged('confirm_audited');
    const typed = { type: canary('turns', 'type') };
    const { id, ...rest } = await stack.posts(ANNA, thread, {
      content: [{ type: 'text', text: 'x' }],
      metadata: typed,
    });
    expect((await webhook(eventOf(thread, { id, ...rest }))).json).toEqual({ ignored: 'typed_item' });
    await stack.enqueues(thread, JSON.stringify({ thread, item_id: id, item: { id, ...rest } }));
    await logged('typed_item');

    const large = threadOf('large');
    await asks(large, choice('large'));
    const image = { type: canary('large', 'block'), url: canary('large', 'url') };
    const blank = await stack.posts(ANNA, large, { content: [{ type: 'text', text: ' ' }] });
    await webhook(eventOf(large, blank));
    await logged('empty_item');
    await webhook(eventOf(large, { ...blank, id: 'itm_image', content: [image] }));
    await logged('no_text');
    await says(large, canary('large', 'answer') + 'x'.repeat(110 * 1024));
    await logged('answer_too_large');
  });

  it('cancels that win and lose, supersedes, attach and adoption', async () => {
    const thread = threadOf('cancels');
    const prompt_id = await asks(thread, approval('cancels', 'cancelled'));
    const cancel = () => call(thread, `prompts/${prompt_id}/cancel`, { reason: canary('cancels', 'reason') });
    expect([(await cancel()).status, (await cancel()).status]).toEqual([200, 200]);
    await stack.heard(thread, 'prompt_cancelled');
    const answered = await asks(thread, approval('cancels', 'answered'));
    await says(thread, canary('cancels', 'answer'));
    await stack.heard(thread, 'prompt_answered');
    const lost = await call(thread, `prompts/${answered}/cancel`, { reason: canary('cancels', 'late') });
    expect(lost.json.prompt.prompt_state).toBe('answered');
    await asks(thread, approval('cancels', 'first'));
    await asks(thread, approval('cancels', 'second'));
    expect((await call(thread, 'attach', {})).status).toBe(200);

    const adopted = threadOf('adopted');
    const prompt = { prompt_id: 'prm_01J00000000000000000000000', prompt_state: 'pending', ...choice('adopted') };
    const content = [{ type: 'text' as const, text: canary('adopted', 'content') }];
    await stack.posts(RUNNER, adopted, { content, metadata: { type: 'pending_prompt', prompt } });
    expect((await call(adopted, 'attach', {})).json).toMatchObject({ open: { prompt_id: prompt.prompt_id } });
    await says(adopted, canary('adopted', 'answer'));
    await stack.heard(adopted, 'prompt_answered');
  });

  it('calls that are refused, each with a canary where it is wrong', async () => {
    const thread = threadOf('refusals');
    const at = (place: string) => canary('refusals', place);
    const { questions } = approval('refusals');
    const option = (label: unknown) => ({ question: 'q', options: [{ label }, { label: 'Deny' }] });
    const wrong: Record<string, unknown> = {
      kind: { ...approval('refusals'), kind: at('kind') },
      'kind-key': { ...approval('refusals'), kind: { [at('kind-key')]: 1 } },
      'empty-id': { ...approval('refusals'), request_id: '' },
      'no-questions': { ...approval('refusals'), questions: at('questions') },
      'question-key': { ...approval('refusals'), questions: [{ question: { [at('question-key')]: at('value') } }] },
      'same-label': {
        ...approval('refusals'),
        questions: [{ question: 'q', options: [1, 2].map(() => option(at('same')).options[0]) }],
      },
      'other-label': { ...approval('refusals'), questions: [option(at('other'))] },
      'label-key': { ...approval('refusals'), questions: [option({ [at('label-key')]: at('label-value') })] },
      'multi-select': { ...approval('refusals'), questions: [{ ...questions[0], multiSelect: at('multi') }] },
      'text-options': { request_id: 'r', kind: 'text', questions: [option(at('text-option'))] },
      'two-questions': { ...approval('refusals'), questions: [questions[0], { question: at('second') }] },
      deep: { ...approval('refusals'), questions: [{ question: 'q', [at('deep-key')]: nested(33, at('deep')) }] },
      'deep-session': { ...approval('refusals'), session: nested(33, at('deep-session')) },
      'no-users': { ...approval('refusals'), allowed_user_ids: [] },
      users: { ...approval('refusals'), allowed_user_ids: { [at('users-key')]: at('users') } },
      'large-session': { ...choice('refusals'), session: at('session').repeat(2000) },
      'large-question': {
        ...approval('refusals'),
        questions: [{ ...questions[0], question: at('huge').repeat(4000) }],
      },
      'large-body': at('body').repeat(10_000),
      runner: { ...approval('refusals'), runner: at('runner') },
      'runner-shape': { ...approval('refusals'), runner: { [at('runner-key')]: at('runner') } },
      unknown: { [at('key')]: at('value') },
      list: [at('list')],
      text: at('text'),
    };
    for (const [what, body] of Object.entries(wrong)) {
      const { status } = await call(thread, 'prompts', body);
      expect([what, [400, 413].includes(status)]).toEqual([what, true]);
    }
    const known = 'prm_01J00000000000000000000000';
    const others: [path: string, body: unknown, status: number][] = [
      [`prompts/${at('prompt-id')}/cancel`, { reason: at('reason') }, 404],
      [`prompts/${at('prompt-id')}/ack`, undefined, 404],
      [`prompts/${known}/cancel`, { reason: at('reason') }, 404],
      [`prompts/${known}/cancel`, { reason: { [at('reason-key')]: at('reason') } }, 400],
      [`prompts/${known}/cancel`, { reason: at('long-reason').repeat(1000) }, 400],
      ['attach', { runner: at('runner') }, 400],
      ['attach', { runner: [at('runner')] }, 400],
      [at('call'), {}, 404],
    ];
    for (const [path, body, status] of others)
      expect([path, (await call(thread, path, body)).status]).toEqual([path, status]);
  });

  it('webhooks that are refused, each with a canary where it is wrong', async () => {
    const thread = threadOf('webhooks');
    const at = (place: string) => canary('webhooks', place);
    const item: Item = { id: 'itm_x', user_id: 'usr_anna', created_at: '2026-05-28T12:00:00Z', content: [] };
    const malformed: Record<string, string> = {
      syntax: `{"type": "session_thread_item_posted", "${at('syntax')}`,
      'after-syntax': `${eventOf(thread, item)}${at('after')}`,
      'before-comma': `{"${at('comma')}":1,}`,
      'bad-escape': `{"a":"\\x${at('escape')}"}`,
      bare: at('bare'),
      list: JSON.stringify([at('list')]),
      key: JSON.stringify({ [at('key')]: at('value') }),
      id: eventOf(thread, item, { revision_id: [at('id')] }),
      'id-key': eventOf(thread, item, { session_id: { [at('id-key')]: 1 } }),
      'other-item': eventOf(thread, { ...item, id: at('other') }, { item_id: 'itm_x' }),
      'other-thread': eventOf(thread, { ...item, session_id: at('elsewhere') }),
      content: eventOf(thread, { ...item, content: at('content') as never }),
      block: eventOf(thread, { ...item, content: [at('block') as never] }),
      user: eventOf(thread, { ...item, user_id: { [at('user')]: at('user') } as never }),
      deep: JSON.stringify(nested(40, at('deep'))),
    };
    for (const [what, body] of Object.entries(malformed)) {
      expect([what, (await webhook(body)).status]).toEqual([what, 400]);
    }
    const odd: Partial<Item>[] = [
      { created_at: at('time') },
      { content: [{ type: 'text', text: { [at('text-key')]: at('text') } }] },
      { content: [{ type: 'text', text: at('own-words') }], metadata: at('metadata') },
      { content: [{ type: 'text', text: at('own-words') }], parent_id: at('parent') },
      { metadata: { prompt: at('prompt'), prompt_id: { [at('prompt-key')]: at('prompt') } } },
    ];
    for (const [n, given] of odd.entries()) {
      expect([n, (await webhook(eventOf(thread, { ...item, ...given, id: `itm_${n}` }))).status]).toEqual([n, 202]);
      await logged(`"item_id":"itm_${n}"`);
    }
    expect((await webhook(JSON.stringify({ type: at('event') }))).json).toEqual({ ignored: 'event_type' });

    const good = eventOf(thread, { ...item, id: 'itm_signed', content: [{ type: 'text', text: at('signed') }] });
    const forged: Record<string, string>[] = [
      { 'webhook-signature': `v1,${at('signature')}` },
      { 'webhook-signature': at('signature') },
      { 'webhook-timestamp': at('timestamp') },
      { 'webhook-id': at('webhook-id') },
    ];
    for (const headers of forged) expect((await webhook(good, headers)).status).toBe(401);
    const more = {
      'x-odd': at('header'),
      'user-agent': at('agent'),
      cookie: at('cookie'),
      authorization: at('bearer'),
    };
    expect((await webhook(good, { ...more, 'content-type': at('content-type') })).status).toBe(202);
    expect((await webhook(at('large').padEnd(513 * 1024, ' '))).status).toBe(413);
  });

  it('a message that can never be handled', async () => {
    const thread = threadOf('poison');
    const at = (place: string) => canary('poison', place);
    const parked = () => lines.filter((line) => line.includes('"event":"item_parked"')).length;
    const before = parked();
    const bodies = [
      at('bare'),
      `{"thread":"${at('syntax')}"`,
      JSON.stringify({ thread, item_id: 'itm', item: { [at('key')]: at('value') } }),
      JSON.stringify({ thread: { ...thread, alias: { [at('alias')]: 1 } }, item_id: 'itm' }),
      JSON.stringify({ thread, item_id: 'itm', item: nested(60, at('deep')) }),
    ];
    for (const body of bodies) await stack.enqueues(thread, body);
    await eventually(() => parked() === before + bodies.length, 'all of them parked');
    sick.set('poison-held', { status: 200, body: JSON.stringify({ item: { id: at('other-item') } }) });
    await stack.enqueues(threadOf('poison-held'), JSON.stringify({ thread: threadOf('poison-held'), item_id: 'itm' }));
    await eventually(() => parked() === before + bodies.length + 1, 'what the host holds malformed');
  });

  it('a thread host that is away, refuses, hangs up, or says our text back', async () => {
    const at = (place: string) => canary('sick', place);
    const echo = { error: at('error'), message: at('message'), [at('key')]: at('value'), item: at('item') };
    const bodies = [JSON.stringify(echo), at('bare'), JSON.stringify({ items: at('items'), item: [at('item')] })];
    for (const status of [200, 302, 400, 401, 404, 413, 429, 500, 503]) {
      for (const [n, body] of bodies.entries()) sick.set(`sick-${status}-${n}`, { status, body });
    }
    sick.set('sick-hangs_up', 'hangs_up');
    const outcomes = await Promise.all([...sick.keys()].filter((id) => id.startsWith('sick-')).map(meetsTheSick));
    expect(outcomes.flat().filter((status) => ![200, 503].includes(status))).toEqual([]);
  });

  /** An open question; then its host falls ill, and somebody attaches, answers, cancels and asks again. */
  async function meetsTheSick(session_id: string): Promise<number[]> {
    const thread = threadOf(session_id);
    const illness = sick.get(session_id);
    sick.delete(session_id);
    const prompt_id = await asks(thread, approval('sick', 'one'));
    const late = await stack.posts(ANNA, thread, { content: [{ type: 'text', text: canary('sick', 'answer') }] });
    sick.set(session_id, illness ?? 'hangs_up');
    const statuses = [(await call(thread, 'attach', {})).status];
    // Without the item inside: it has to be read from the host.
    await webhook(eventOf(thread, late, { item: undefined }));
    const cancel = { reason: canary('sick', 'reason') };
    statuses.push((await call(thread, `prompts/${prompt_id}/cancel`, cancel)).status);
    const refuses = typeof illness === 'object' && illness.status >= 400 && illness.status < 500;
    // A question of which nobody knows whether it was posted is looked for, for as long as a raise may take: one is enough.
    const isUnclear = session_id === 'sick-200-0';
    if (refuses || isUnclear) statuses.push((await call(thread, 'prompts', approval('sick', 'two'))).status);
    return statuses;
  }

  it('a key to the host that no header can hold', async () => {
    const keyless = await startQuietStack(await assembly(), log, stops, { key: UNUSABLE_KEY });
    const thread = threadOf('key');
    expect((await kept(keyless.call(thread, 'attach', {}))).status).toBe(503);
    const item = { id: 'itm_key', user_id: 'usr_anna', created_at: '2026-05-28T12:00:00Z', content: [] };
    const before = lines.length;
    expect((await keyless.recorded(eventOf(thread, item, { item: undefined }))()).status).toBe(202);
    await eventually(() => lines.slice(before).some((line) => line.includes('item_retried')), 'the item retried');
  });

  it('queues and a table that are gone', async () => {
    const broken = await startQuietStack(await assembly(), log, stops);
    const at = (place: string) => canary('gone', place);
    const thread = threadOf('gone');
    const { stack: deployed, operator } = broken;
    const { aws, table_name: TableName, runner_queue_urls, resolver_queue_url } = deployed.addresses;
    const raise = (request_id: string) => kept(broken.call(thread, 'prompts', { ...choice('gone'), request_id }));
    const answered = await raise('answered');
    expect(answered.status).toBe(201);
    await operator.send(new DeleteQueueCommand({ QueueUrl: runner_queue_urls.default }));
    const item = await broken.posts(ANNA, thread, { content: [{ type: 'text', text: at('answer') }] });
    const before = lines.length;
    expect((await broken.recorded(eventOf(thread, item))()).status).toBe(202);
    await eventually(() => lines.slice(before).some((line) => line.includes('item_retried')), 'the item retried');
    const cancelled = (await raise('cancelled')).json.prompt.prompt_id;
    await kept(broken.call(thread, `prompts/${cancelled}/cancel`, { reason: at('reason') }));

    await operator.send(new DeleteQueueCommand({ QueueUrl: resolver_queue_url }));
    const lost = { ...item, id: 'itm_lost', content: [{ type: 'text', text: at('lost') }] };
    expect(await kept(broken.recorded(eventOf(thread, lost))())).toMatchObject({
      json: { error: 'queue_unavailable' },
    });

    const { credentials } = broken;
    const dynamodb = new DynamoDBClient({ region: aws.region, endpoint: aws.dynamodb_endpoint, credentials });
    await dynamodb.send(new DeleteTableCommand({ TableName }));
    dynamodb.destroy();
    for (const [path, body] of [
      ['prompts', choice('gone')],
      ['attach', {}],
      [`prompts/${cancelled}/cancel`, { reason: at('reason') }],
    ] as const) {
      // Nothing is left to answer with; the log tells what was thrown.
      expect((await kept(broken.call(thread, path, body))).status).toBeGreaterThanOrEqual(500);
    }
  });
});

describe('afterwards', () => {
  const leaks = (texts: string[]) => texts.filter((text) => text.toLowerCase().includes(MARK));

  it('the log is not empty, and tells ids, kinds and paths', () => {
    const events = new Set(lines.flatMap((line) => /"event":"(\w+)"/.exec(line)?.[1] ?? []));
    const expected = ['item_resolved', 'item_parked', 'item_retried', 'webhook_refused', 'webhook_malformed'];
    expected.push('prompt_raised', 'prompt_unavailable', 'prompt_adopted', 'audit_owed', 'gauges', 'queue_unavailable');
    expect(expected.filter((event) => !events.has(event))).toEqual([]);
    expect(lines.filter((line) => line.includes('"CloudWatchMetrics"')).length).toBeGreaterThan(50);
  });
  it('no line of any log or metric holds a canary', async () => {
    expect(leaks(lines)).toEqual([]);
    const metrics = await fetch(stack.stack.addresses.metrics_url);
    expect(leaks([await metrics.text()])).toEqual([]);
  });
  it('no answer that refuses repeats what it refuses', () => {
    expect(refusals.length).toBeGreaterThan(60);
    expect(leaks(refusals.map(({ text }) => text))).toEqual([]);
  });
  it('no secret is told anywhere', () => {
    const { webhookSecret, credentials } = stack;
    const secrets = [webhookSecret, webhookSecret.slice('whsec_'.length), RUNNER.api_key, credentials.secretAccessKey];
    const told = [...lines, ...refusals.map(({ text }) => text)];
    for (const secret of secrets) expect(told.filter((text) => text.includes(secret))).toEqual([]);
  });
});

function nested(levels: number, innermost: string): unknown {
  return levels === 0 ? innermost : [nested(levels - 1, innermost)];
}

import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadGroup } from '#adapters/names.ts';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { type Assembly, synthesize } from '../../infra/local/synth.ts';
import { signedPost } from '../../runner/signed-fetch.ts';
import { startWorld, type World } from '../local/world.ts';
import { eventually } from '../support/eventually.ts';

/**
 * Logs, metrics and error answers hold ids, lengths, kinds and paths (I16). Every place where somebody can put a text has a
 * canary of its own; all scenarios run through the real stack, and no canary may be seen but where its text belongs.
 */
const MARK = 'CNRY';
const canary = (place: string) => `${MARK}-${place}-canary`;

const lines: string[] = [];
const refusals: { status: number; text: string }[] = [];
const stops = new StopStack();
let assembly: Assembly;
let world: World;
let post: ReturnType<typeof signedPost>;

beforeAll(async () => {
  assembly = await synthesize(new AbortController().signal);
  world = await startWorld(assembly.folder, (source, line) => lines.push(`${source} ${line}`), stops);
  const { region, secret_access_key: secretAccessKey } = world.stack.addresses.aws;
  const accessKeyId = 'InteractivePrompts-runner-default';
  post = signedPost({ region, credentials: async () => ({ accessKeyId, secretAccessKey }) });
}, 90_000);
afterAll(async () => {
  await stops.stopAll();
  assembly.remove();
});

const threadOf = (session_id: string): Thread => ({ revision_id: 'rev', session_id, alias: 'main' });
const APPROVE_DENY = [{ label: 'Approve' }, { label: 'Deny' }];
const approval = (request_id: string, question = canary('question')) => ({
  request_id,
  kind: 'approval',
  questions: [{ question, options: APPROVE_DENY }],
});
const choice = (request_id: string) => ({
  request_id,
  kind: 'ask_user_question',
  session: { secret: canary('session') },
  questions: [
    {
      question: canary('question'),
      [canary('field')]: canary('value'),
      options: [{ label: canary('label'), description: canary('description') }, { label: 'plain' }],
    },
    { question: 'Anything else?' },
  ],
});

/** A call of the runner API; what refuses is kept to be looked at. */
async function call(thread: Thread, path: string, body: unknown): Promise<{ status: number; json: Json }> {
  const name = [thread.revision_id, thread.session_id, thread.alias].map(encodeURIComponent).join('/');
  const url = new URL(`v1/threads/${name}/${path}`, `${world.stack.addresses.runner_api_url}/`);
  return kept(await post(url, body));
}
// biome-ignore lint/suspicious/noExplicitAny: what comes back is looked at by the tests
type Json = any;

async function kept(response: Response): Promise<{ status: number; json: Json }> {
  const text = await response.text();
  if (response.status >= 400) refusals.push({ status: response.status, text });
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

async function webhook(body: string, headers: Record<string, string> = {}) {
  const { webhook_url } = world.stack.addresses;
  return kept(await fetch(webhook_url, { method: 'POST', body, headers: { ...world.sign(body), ...headers } }));
}
const event = (thread: Thread, item: object, more: object = {}) =>
  JSON.stringify({ id: 'evt', type: 'session_thread_item_posted', ...thread, item_id: 'itm_x', item, ...more });

const logged = (text: string, ms?: number) => eventually(() => lines.some((line) => line.includes(text)), text, ms);

describe('every scenario with canaries in it', { timeout: 60_000 }, () => {
  it('an answer in words, one by the structured set, one refused, and repeats', async () => {
    const thread = threadOf('answers');
    const raised = await call(thread, 'prompts', choice('words'));
    expect(raised.status).toBe(201);
    await world.says(thread, canary('answer'));
    await world.heard(thread, 'prompt_answered');
    await world.audited(thread);
    expect((await call(thread, 'prompts', choice('words'))).status).toBe(200);
    await call(thread, `prompts/${raised.json.prompt.prompt_id}/ack`, undefined);

    const structured = threadOf('structured');
    await call(structured, 'prompts', approval('structured'));
    const answers = [{ question: canary('question'), answer: [canary('structured')] }];
    await world.says(structured, canary('summary'), { answers });
    await world.heard(structured, 'prompt_answered');

    const refused = threadOf('refused');
    await call(refused, 'prompts', approval('refused'));
    await world.says(refused, canary('text'), { answers: [{ question: canary('unknown'), answer: canary('shape') }] });
    await world.heard(refused, 'prompt_answered');
    await logged('malformed_entry');
  });

  it('next turns, of every reason', async () => {
    const thread = threadOf('turns');
    await world.says(thread, canary('turn'), { [canary('key')]: canary('value'), prompt_id: canary('named') });
    await world.heard(thread, 'next_turn');
    await call(thread, 'prompts', { ...approval('guarded'), allowed_user_ids: ['usr_nobody'] });
    await world.says(thread, canary('not-allowed'));
    await logged('not_allowed');
    const large = threadOf('large');
    await call(large, 'prompts', choice('large'));
    await world.says(large, canary('large') + 'x'.repeat(110 * 1024));
    await logged('answer_too_large');
  });

  it('cancels that win and lose, supersedes, attach and adoption', async () => {
    const thread = threadOf('cancels');
    const { json } = await call(thread, 'prompts', approval('cancelled'));
    const cancel = () => call(thread, `prompts/${json.prompt.prompt_id}/cancel`, { reason: canary('reason') });
    expect([(await cancel()).status, (await cancel()).status]).toEqual([200, 200]);
    await world.heard(thread, 'prompt_cancelled');
    await call(thread, 'prompts', approval('first'));
    await call(thread, 'prompts', approval('second'));
    await call(thread, 'attach', {});

    const adopted = threadOf('adopted');
    const prompt_id = 'prm_01J00000000000000000000000';
    await world.plants(adopted, { prompt_id, prompt_state: 'pending', ...choice('adopted') });
    await call(adopted, 'attach', {});
    await world.says(adopted, canary('adopted'));
    await world.heard(adopted, 'prompt_answered');
  });

  it('raises that are refused, each with a canary where it is wrong', async () => {
    const thread = threadOf('refusals');
    const wrong: unknown[] = [
      { ...approval('r'), kind: canary('kind') },
      { ...approval('r'), request_id: '' },
      { ...approval('r'), questions: canary('questions') },
      {
        ...approval('r'),
        questions: [{ question: 'q', options: [{ label: canary('same') }, { label: canary('same') }] }],
      },
      { ...approval('r'), questions: [{ question: 'q', options: [{ label: canary('other') }, { label: 'Deny' }] }] },
      { ...approval('r'), allowed_user_ids: [] },
      { ...choice('r'), session: canary('session').repeat(2000) },
      { ...approval('r', canary('huge').repeat(5000)) },
      { [canary('key')]: canary('value') },
      [canary('list')],
      canary('text'),
    ];
    for (const body of wrong) expect([400, 413]).toContain((await call(thread, 'prompts', body)).status);
    for (const path of ['prompts/nothing/cancel', 'attach'])
      await call(thread, path, { reason: 7, runner: [canary('runner')] });
    expect(
      (await call(thread, 'prompts/prm_01J00000000000000000000000/cancel', { reason: canary('reason') })).status,
    ).toBe(404);
  });

  it('webhooks that are refused, each with a canary where it is wrong', async () => {
    const thread = threadOf('webhooks');
    const item = { id: 'itm_x', user_id: 'usr_anna', created_at: '2026-05-28T12:00:00Z', content: [] };
    const wrong = [
      `{"type": "session_thread_item_posted", "${canary('syntax')}`,
      `${canary('bare')}`,
      `[${JSON.stringify(canary('list'))}]`,
      event(thread, item, { revision_id: [canary('id')] }),
      event(thread, { ...item, id: canary('other') }),
      event(thread, { ...item, content: canary('content') }),
      `"${canary('deep')}"`.padStart(50, '['),
    ];
    for (const [n, body] of wrong.entries()) expect([n, (await webhook(body)).status]).toEqual([n, 400]);
    const odd = [
      { ...item, created_at: canary('time') },
      { ...item, content: [{ type: 'text', text: { [canary('key')]: canary('value') } }] },
      { ...item, metadata: canary('metadata') },
    ];
    for (const [n, given] of odd.entries()) {
      const body = event(thread, { ...given, id: `itm_${n}` }, { item_id: `itm_${n}` });
      expect([n, (await webhook(body)).status]).toEqual([n, 202]);
    }
    const signed = event(thread, { ...item, content: [{ type: 'text', text: canary('unsigned') }] });
    const forged = { 'webhook-signature': `v1,${canary('signature')}` };
    expect((await webhook(signed, forged)).status).toBe(401);
    expect((await webhook(signed, { 'webhook-id': canary('header') })).status).toBe(401);
    expect((await webhook(signed, { 'x-odd': canary('header'), 'user-agent': canary('agent') })).status).toBe(202);
    expect((await webhook(canary('large').padEnd(520 * 1024, ' '))).status).toBe(413);
  });

  it('a message that can never be handled', async () => {
    const thread = threadOf('poison');
    const { resolver_queue_url: QueueUrl } = world.stack.addresses;
    for (const [n, MessageBody] of [canary('poison'), `{"thread":"${canary('poison')}"`].entries()) {
      const names = { MessageGroupId: threadGroup(thread), MessageDeduplicationId: `poison-${n}` };
      await world.operator.send(new SendMessageCommand({ QueueUrl, MessageBody, ...names }));
    }
    await eventually(() => lines.filter((line) => line.includes('item_parked')).length >= 2, 'two parked messages');
  });

  it('a thread host that is away, and one that says our text back', async () => {
    const thread = threadOf('away');
    world.door.answersWith = { status: 400, body: JSON.stringify({ error: canary('echo'), message: canary('echo') }) };
    expect((await call(thread, 'prompts', approval('echoed'))).json.error).toBe('prompt_unavailable');
    world.door.answersWith = { status: 200, body: canary('garbage') };
    expect((await call(threadOf('garbage'), 'attach', {})).status).toBe(503);
    world.door.answersWith = undefined;
    expect((await call(thread, 'prompts', approval('later'))).status).toBe(201);
  });
});

describe('afterwards', () => {
  it('the log is not empty, and tells ids, kinds and paths', () => {
    const events = lines.flatMap((line) => /"event":"(\w+)"/.exec(line)?.[1] ?? []);
    for (const name of [
      'item_resolved',
      'webhook_refused',
      'webhook_malformed',
      'item_parked',
      'prompt_raised',
      'gauges',
    ]) {
      expect(events).toContain(name);
    }
  });
  it('no line of any log or metric holds a canary', () => {
    expect(lines.filter((line) => line.includes(MARK))).toEqual([]);
  });
  it('no answer that refuses repeats what it refuses', () => {
    expect(refusals.length).toBeGreaterThan(25);
    expect(refusals.filter(({ text }) => text.includes(MARK))).toEqual([]);
  });
  it('no secret is told anywhere', () => {
    const { aws } = world.stack.addresses;
    const secrets = [
      aws.secret_access_key,
      world.webhookSecret,
      world.webhookSecret.slice('whsec_'.length),
      world.apiKey,
    ];
    const told = [...lines, ...refusals.map(({ text }) => text)];
    for (const secret of secrets) expect(told.filter((text) => text.includes(secret))).toEqual([]);
  });
});

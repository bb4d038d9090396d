import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { type Assembly, synthesize } from '../../infra/local/synth.ts';
import { signedHeaders } from '../local/sign-request.ts';
import { startWorld, type World } from '../local/world.ts';
import { eventually } from '../support/eventually.ts';
import corpus from './corpus.json' with { type: 'json' };

/**
 * Any body at both ways in: only the documented answers, nothing that fails for ever, and the next good prompt works.
 * `SEED=…` repeats, `BODIES=…` makes more.
 */
const BODIES = Number(process.env.BODIES ?? 480);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
const WEBHOOK_ANSWERS = [200, 202, 400, 401, 413];
const RAISE_ANSWERS = [200, 201, 400, 413];

const lines: string[] = [];
const stops = new StopStack();
let assembly: Assembly;
let world: World;
const seen = new Map<string, number>();

beforeAll(async () => {
  assembly = await synthesize(new AbortController().signal);
  world = await startWorld(assembly.folder, (source, line) => lines.push(`${source} ${line}`), stops);
}, 90_000);
afterAll(async () => {
  const answers = [...seen].sort().map(([answer, count]) => `${count} × ${answer}`);
  console.log(`fuzz: ${2 * BODIES + 2 * corpus.bodies.length} bodies, seed ${SEED}: ${answers.join(', ')}`);
  await stops.stopAll();
  assembly.remove();
});

const count = (way: string, status: number) => seen.set(`${way} ${status}`, (seen.get(`${way} ${status}`) ?? 0) + 1);
async function webhook(body: string): Promise<number> {
  const { webhook_url } = world.stack.addresses;
  const { status } = await fetch(webhook_url, { method: 'POST', body, headers: world.sign(body) });
  count('webhook', status);
  return status;
}
async function raise(body: string, thread = THREAD): Promise<number> {
  const name = [thread.revision_id, thread.session_id, thread.alias].map(encodeURIComponent).join('/');
  const url = new URL(`v1/threads/${name}/prompts`, `${world.stack.addresses.runner_api_url}/`);
  const { region, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = world.stack.addresses.aws;
  const signing = { method: 'POST', path: url.pathname, body: Buffer.from(body), date: new Date() };
  const headers = signedHeaders({ ...signing, region, accessKeyId, secretAccessKey, headers: { host: url.host } });
  const { status } = await fetch(url, { method: 'POST', body, headers });
  count('raise', status);
  return status;
}

const THREAD: Thread = { revision_id: 'fuzz', session_id: 'fuzz', alias: 'main' };
const odd = fc.oneof(
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    '\uFFFE\uFFFF',
    '\u202e',
    '__proto__',
    'constructor',
    'toString',
    ' ',
    '1',
    'yes',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);
const value = fc.oneof(
  { weight: 4, arbitrary: odd },
  { weight: 1, arbitrary: fc.jsonValue({ depthSize: 'medium' }) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, -0, 1e308, 5e-324, [], {}) },
);
const maybe = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 25, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: value });
const names = fc.constantFrom('a', 'b', 'c');

const metadata = fc.record(
  {
    type: maybe(fc.constantFrom('pending_prompt', 'pending_prompt_resolved', 'note')),
    prompt_id: value,
    prompt: fc.oneof(value, fc.record({ prompt_id: value })),
    answers: fc.oneof(
      value,
      fc.array(fc.record({ question: value, answer: fc.array(value, { maxLength: 3 }) }), { maxLength: 3 }),
    ),
    ['__proto__']: value,
  },
  { requiredKeys: [] },
);
const event = fc.record(
  {
    id: value,
    type: maybe(fc.constant('session_thread_item_posted')),
    revision_id: maybe(fc.constant('fuzz')),
    session_id: maybe(names),
    alias: maybe(fc.constantFrom('main', 'worker')),
    item_id: maybe(fc.constant('itm_fuzz')),
    item: maybe(
      fc.record(
        {
          id: maybe(fc.constant('itm_fuzz')),
          created_at: maybe(fc.constant('2026-05-28T12:00:00.000000+00:00')),
          user_id: maybe(fc.constant('usr_anna')),
          content: maybe(
            fc.array(fc.record({ type: maybe(fc.constantFrom('text', 'json', 'image')), text: value }), {
              maxLength: 3,
            }),
          ),
          metadata: maybe(metadata),
          parent_id: value,
        },
        { requiredKeys: ['id', 'created_at', 'user_id', 'content'] },
      ),
    ),
  },
  { requiredKeys: ['type', 'revision_id', 'session_id', 'alias', 'item_id'] },
);
const prompt = fc.record(
  {
    request_id: maybe(fc.uuid()),
    kind: maybe(fc.constantFrom('approval', 'ask_user_question', 'text')),
    questions: maybe(
      fc.array(
        fc.record(
          {
            question: maybe(odd),
            multiSelect: maybe(fc.boolean()),
            options: maybe(
              fc.array(fc.record({ label: maybe(odd), description: value }, { requiredKeys: ['label'] }), {
                maxLength: 4,
              }),
            ),
            ['__proto__']: value,
          },
          { requiredKeys: ['question'] },
        ),
        { maxLength: 3 },
      ),
    ),
    session: value,
    allowed_user_ids: value,
  },
  { requiredKeys: ['request_id', 'kind', 'questions'] },
);

/** What may be asked, with any text in it. */
const askable = fc
  .record({ request_id: fc.uuid(), texts: fc.array(odd, { minLength: 1, maxLength: 4 }), session: value, more: value })
  .map(({ request_id, texts, session, more }) => ({
    request_id,
    kind: 'ask_user_question',
    questions: texts.map((text, n) => ({
      question: `${n}${text}`,
      multiSelect: n % 2 === 0,
      more,
      options: texts.map((label, at) => ({ label: `${label}${at}`, description: label })).slice(n),
    })),
    session,
  }));

/** A body, and now and then one that was damaged on the way. */
const damaged = (body: fc.Arbitrary<unknown>) =>
  fc
    .tuple(
      body.map((given) => JSON.stringify(given)),
      fc.nat(9),
      fc.nat(),
      odd,
    )
    .map(([text, damage, at, more]) => {
      const cut = at % (text.length + 1);
      if (damage === 0) return text.slice(0, cut);
      if (damage === 1) return text.slice(0, cut) + more + text.slice(cut);
      return text;
    });

describe('any body', () => {
  it('at the webhook has a documented answer', { timeout: 120_000 }, async () => {
    for (const body of corpus.bodies)
      expect([body, WEBHOOK_ANSWERS.includes(await webhook(body))]).toEqual([body, true]);
    const property = fc.asyncProperty(damaged(event), async (body) => {
      expect(WEBHOOK_ANSWERS).toContain(await webhook(body));
    });
    await fc.assert(property, { numRuns: BODIES, seed: SEED });
  });

  it('of a raise has a documented answer', { timeout: 120_000 }, async () => {
    for (const body of corpus.bodies) expect([body, RAISE_ANSWERS.includes(await raise(body))]).toEqual([body, true]);
    let n = 0;
    const property = fc.asyncProperty(damaged(fc.oneof(prompt, askable)), async (body) => {
      // A few to a thread, so that some supersede and some repeat.
      expect(RAISE_ANSWERS).toContain(await raise(body, { ...THREAD, session_id: `r${Math.floor(n++ / 5)}` }));
    });
    await fc.assert(property, { numRuns: BODIES, seed: SEED });
  });
});

describe('afterwards', () => {
  it('no message failed for ever: the queue is empty, nothing is dead, nothing was parked but items nobody knows', async () => {
    const { resolver_queue_url, resolver_dlq_url } = world.stack.addresses;
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const left = async (QueueUrl: string) => {
      const { Attributes } = await world.operator.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
      );
      return names.map((name) => Number(Attributes?.[name]));
    };
    await eventually(
      async () => (await left(resolver_queue_url)).every((count) => count === 0),
      'an empty queue',
      90_000,
    );
    expect(await left(resolver_dlq_url)).toEqual([0, 0]);
    const parked = lines.filter((line) => line.includes('item_parked'));
    expect(parked.filter((line) => !line.includes('the thread host does not know the item'))).toEqual([]);
    expect(lines.filter((line) => /Error|error: |Task timed out/.test(line) && !line.includes('item_'))).toEqual([]);
  }, 120_000);

  it('the next good prompt works, and any text arrives unharmed', async () => {
    const thread = { ...THREAD, session_id: 'good' };
    const question = 'a\u0000b \ufffe\uffff \ud83d\ude00 \u202e \ud800 __proto__';
    const good = { request_id: 'good', kind: 'text', questions: [{ question, constructor: 'kept', number: 1 }] };
    expect(await raise(JSON.stringify(good), thread)).toBe(201);
    const words = 'yes\u0000 \ufffe\uffff \ud83d\ude00\u202e \u001b[2J';
    await world.says(thread, words);
    await world.heard(thread, 'prompt_answered');
    const answer = world.messages.find((message) => message.thread.session_id === 'good' && 'prompt' in message);
    expect(answer).toMatchObject({ prompt: { answers: [{ question, answer: [words] }] } });
  });
});

import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { signedHeaders } from '../local/sign-request.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import corpus from './corpus.json' with { type: 'json' };
import { ANNA, eventOf, type QuietStack, startQuietStack } from './quiet-stack.ts';

/**
 * Any body at both ways in: only the documented answers, nothing that fails for ever or is put aside, and the next good
 * prompt works. `SEED=…` repeats, `WEBHOOKS=…` and `RAISES=…` make more.
 */
const WEBHOOKS = Number(process.env.WEBHOOKS ?? 720);
const RAISES = Number(process.env.RAISES ?? 220);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
/** Made smaller, a body of a busy stack takes minutes; the one that failed is told as it is. */
const REPEATABLY = { seed: SEED, endOnFailure: true };
const WEBHOOK_ANSWERS = [200, 202, 400, 413];
const RAISE_ANSWERS = [200, 201, 400, 413];
/** Bodies on the way at the same time. */
const AT_ONCE = 4;
const OPEN_THREADS = 30;

const lines: string[] = [];
const stops = new StopStack();
let stack: QuietStack;
const seen = new Map<string, number>();

beforeAll(async () => {
  stack = await startQuietStack(await assembly(), (source, line) => lines.push(`${source} ${line}`), stops, { says });
}, 90_000);
afterAll(async () => {
  const answers = [...seen].sort().map(([answer, count]) => `${count} × ${answer}`);
  console.log(`fuzz: seed ${SEED}, ${corpus.bodies.length} bodies of the corpus to each: ${answers.join(', ')}`);
  await stops.stopAll();
});

/** The host knows every item that it is asked for: an item that it does not know is put aside, and rightly so. */
function says(_path: string, body: string) {
  if (!body.includes('"get_session_thread_item"')) return undefined;
  const { item_id: id } = JSON.parse(body);
  const item = { id, created_at: LATER, user_id: ANNA.user_id, content: [{ type: 'text', text: '1' }] };
  return { status: 200, body: JSON.stringify({ item }) };
}

const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
async function webhook(body: string | Uint8Array<ArrayBuffer>): Promise<number> {
  const { status } = await stack.recorded(body)();
  count(`webhook ${status}`);
  return status;
}
async function raise(body: string, thread: Thread): Promise<number> {
  const { runner_api_url, aws } = stack.stack.addresses;
  const name = [thread.revision_id, thread.session_id, thread.alias].map(encodeURIComponent).join('/');
  const url = new URL(`v1/threads/${name}/prompts`, `${runner_api_url}/`);
  const { region, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = aws;
  const signing = { method: 'POST', path: url.pathname, body: Buffer.from(body), date: new Date() };
  const headers = signedHeaders({ ...signing, region, accessKeyId, secretAccessKey, headers: { host: url.host } });
  const { status } = await fetch(url, { method: 'POST', body, headers });
  count(`raise ${status}`);
  return status;
}

const threadOf = (session_id: string): Thread => ({ revision_id: 'fuzz', session_id, alias: 'main' });
const LATER = '2099-01-01T00:00:00.000000+00:00';

/** Written over in the JSON text afterwards: what no JavaScript value becomes. */
const asNumber = (text: string) => `@number:${text}@`;
const PROTO = '@proto@';
const toJson = (value: unknown) =>
  JSON.stringify(value)
    .replace(/"@number:([^@"]*)@"/g, '$1')
    .replaceAll(PROTO, '__proto__');

const ODD_TEXTS = ['', '\u0000', '\ud800', '\uFFFE\uFFFF', '\u202e', '\ufeff', PROTO, 'constructor', 'toString', ' '];
const MEANT_TEXTS = ['1', '1, 2', 'yes', 'Approve', 'a, b', '2\u00a0'];
const ODD_NUMBERS = [
  '1e999',
  '-1e-999',
  '-0',
  '1.0',
  '123456789012345678901234567890',
  '0.10000000000000000555',
  '1E400',
];
const odd = fc.oneof(
  fc.constantFrom(...ODD_TEXTS, ...MEANT_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);
const deep = fc
  .tuple(fc.integer({ min: 20, max: 40 }), fc.boolean())
  .map(([levels, lists]) => Array.from({ length: levels }).reduce((at) => (lists ? [at] : { [PROTO]: at }), 'deep'));
const value = fc.oneof(
  { weight: 40, arbitrary: odd },
  { weight: 8, arbitrary: fc.jsonValue({ depthSize: 'medium' }) },
  { weight: 8, arbitrary: fc.constantFrom(null, true, [], {}, ...ODD_NUMBERS.map(asNumber)) },
  { weight: 1, arbitrary: deep },
);
const maybe = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 60, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: value });

let made = 0;
/** Another one each time: the queue drops an id that it has seen. */
const itemId = fc.constant('').map(() => `itm_${made++}`);
const openSession = fc.nat(OPEN_THREADS - 1).map((n) => `open_${n}`);
const question = fc.constantFrom('first', 'second', 'other');

const metadata = fc.record(
  {
    type: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.oneof(value, fc.constantFrom('pending_prompt', 'pending_prompt_resolved', 'note')) },
    ),
    prompt_id: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value }),
    prompt: maybe(fc.record({ prompt_id: fc.oneof(fc.constant(null), value) })),
    answers: fc.oneof(
      value,
      fc.array(fc.record({ question: maybe(question), answer: maybe(fc.array(maybe(odd), { maxLength: 3 })) }), {
        maxLength: 3,
      }),
    ),
    [PROTO]: value,
  },
  { requiredKeys: [] },
);
const event = fc
  .tuple(
    itemId,
    fc.record(
      {
        id: value,
        type: maybe(fc.constant('session_thread_item_posted')),
        revision_id: maybe(fc.constant('fuzz')),
        session_id: maybe(openSession),
        alias: maybe(fc.constantFrom('main', 'main', 'main', 'main', 'worker')),
        created_at: value,
        [PROTO]: value,
      },
      { requiredKeys: ['type', 'revision_id', 'session_id', 'alias'] },
    ),
    maybe(
      fc.record(
        {
          id: maybe(fc.constant(undefined)),
          created_at: maybe(fc.constantFrom(LATER, LATER, LATER, '2026-05-28T12:00:00Z', '2099-02-30T00:00:00Z')),
          user_id: maybe(fc.constantFrom('usr_anna', 'usr_anna', 'usr_ben', 'usr_runner')),
          content: maybe(
            fc.array(
              fc.record({
                type: maybe(fc.constantFrom('text', 'text', 'json', 'image')),
                text: maybe(odd),
                more: value,
              }),
              { maxLength: 3 },
            ),
          ),
          metadata: maybe(metadata),
          parent_id: fc.oneof(fc.constant(null), value),
          [PROTO]: value,
        },
        { requiredKeys: ['id', 'created_at', 'user_id', 'content'] },
      ),
    ),
  )
  .map(([item_id, given, item]) => ({ ...given, item_id, item: withId(item, item_id) }));
const withId = (item: unknown, id: string) =>
  typeof item === 'object' && item !== null && 'id' in item && item.id === undefined ? { ...item, id } : item;

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
            [PROTO]: value,
          },
          { requiredKeys: ['question'] },
        ),
        { maxLength: 3 },
      ),
    ),
    session: value,
    runner: value,
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

/** A body as text, and now and then one that was damaged on the way. */
const damaged = (body: fc.Arbitrary<unknown>) =>
  fc.tuple(body.map(toJson), fc.nat(19), fc.nat(), odd).map(([text, damage, at, more]) => {
    const cut = at % (text.length + 1);
    if (damage === 0) return text.slice(0, cut);
    if (damage === 1) return text.slice(0, cut) + more + text.slice(cut);
    if (damage === 2) return text.replace('{', `{"type":"twice","session_id":${JSON.stringify(more)},"questions":[],`);
    if (damage === 3) return `${text.slice(0, -1)},"item":null,"kind":"text","alias":${JSON.stringify(more)}}`;
    return text;
  });
/** The same in bytes, one of which may be another than it was: no UTF-8, perhaps. */
const damagedBytes = (body: fc.Arbitrary<unknown>) =>
  fc.tuple(damaged(body), fc.nat(19), fc.nat(), fc.nat(255)).map(([text, damage, at, byte]) => {
    const bytes = new TextEncoder().encode(text);
    if (damage === 0 && bytes.length > 0) bytes[at % bytes.length] = byte;
    return bytes;
  });

/** Some of them at once, so that they also meet each other. */
const several = <T>(body: fc.Arbitrary<T>) => fc.array(body, { minLength: AT_ONCE, maxLength: AT_ONCE });

describe('any body', () => {
  it.each([33, 5000, 200_000])('that nests %s deep is refused', async (levels) => {
    const nested = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const item = { id: 'itm_deep', created_at: LATER, user_id: ANNA.user_id, content: [] };
    expect(await webhook(eventOf(threadOf('deep'), item).replace('{', `{"more":${nested},`))).toBe(400);
    const asking = `{"request_id":"deep","kind":"text","questions":[{"question":"q","more":${nested}}]}`;
    expect(await raise(asking, threadOf('deep'))).toBe(levels > 100_000 ? 413 : 400);
  });

  it('at the webhook has a documented answer', { timeout: 120_000 }, async () => {
    const questions = ['first', 'second'].map((question) => ({
      question,
      multiSelect: true,
      options: [{ label: 'a' }, { label: 'b' }],
    }));
    const asked = Array.from({ length: OPEN_THREADS }, (_, n) => {
      const prompt =
        n % 3 === 0 ? { kind: 'ask_user_question', questions } : { kind: 'text', questions: [{ question: 'first' }] };
      return raise(JSON.stringify({ request_id: 'open', ...prompt }), threadOf(`open_${n}`));
    });
    expect(new Set(await Promise.all(asked))).toEqual(new Set([201]));

    for (const body of corpus.bodies)
      expect([body, WEBHOOK_ANSWERS.includes(await webhook(body))]).toEqual([body, true]);
    const property = fc.asyncProperty(several(damagedBytes(event)), async (bodies) => {
      const answers = await Promise.all(
        bodies.map(async (body) => [await webhook(body), new TextDecoder().decode(body)] as const),
      );
      expect(answers.filter(([status]) => !WEBHOOK_ANSWERS.includes(status))).toEqual([]);
    });
    await fc.assert(property, { numRuns: Math.ceil(WEBHOOKS / AT_ONCE), ...REPEATABLY });
  });

  it('of a raise has a documented answer', { timeout: 120_000 }, async () => {
    for (const body of corpus.bodies)
      expect([body, RAISE_ANSWERS.includes(await raise(body, threadOf('corpus')))]).toEqual([body, true]);
    const property = fc.asyncProperty(several(damaged(fc.oneof(prompt, askable))), async (bodies) => {
      // Two to a thread at a time, so that some supersede and some repeat.
      const raises = bodies.map((body, n) => raise(body, threadOf(`raised_${n % (AT_ONCE / 2)}`)));
      const statuses = await Promise.all(raises);
      expect(
        statuses.map((status, n) => [status, bodies[n]]).filter(([status]) => !RAISE_ANSWERS.includes(Number(status))),
      ).toEqual([]);
    });
    await fc.assert(property, { numRuns: Math.ceil(RAISES / AT_ONCE), ...REPEATABLY });
  });
});

describe('afterwards', () => {
  it('no message failed for ever: the queue is empty, nothing is dead, nothing was put aside', async () => {
    const { resolver_queue_url, resolver_dlq_url } = stack.stack.addresses;
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const left = async (QueueUrl: string) => {
      const { Attributes } = await stack.operator.send(
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
    expect(lines.filter((line) => line.includes('item_parked'))).toEqual([]);
    expect(lines.filter((line) => /Error|error: |Task timed out/.test(line) && !line.includes('item_'))).toEqual([]);
  }, 120_000);

  it('the fuzz went deep: items settled, went on, and were ignored, each in several ways', () => {
    const resolved = lines.flatMap(
      (line) => /"outcome":"(\w+)"(?:,"because":"(\w+)")?/.exec(line)?.slice(1, 3).join(' ') ?? [],
    );
    const ways = new Set(resolved);
    for (const way of ['settle ', 'next_turn no_open_prompt', 'next_turn names_another_prompt', 'ignore own_item'])
      expect([...ways]).toContain(way);
    expect(resolved.length).toBeGreaterThan(WEBHOOKS / 4);
  });

  it('the next good prompt works, and any text arrives unharmed', async () => {
    const thread = threadOf('good');
    const question = 'a\u0000b \ufffe\uffff \ud83d\ude00 \u202e \ud800 __proto__';
    const raw = `{"request_id":"good","kind":"text","session":{"n":1.0,"big":123456789012345678901234567890},"questions":[{"question":${JSON.stringify(question)},"__proto__":{"x":1}}]}`;
    expect(await raise(raw, thread)).toBe(201);
    const words = 'yes\u0000 \ufffe\uffff \ud83d\ude00\u202e \u001b[2J \udc00';
    const item = { id: 'itm_good', created_at: LATER, user_id: ANNA.user_id, content: [{ type: 'text', text: words }] };
    expect(await webhook(eventOf(thread, item))).toBe(202);
    const told = await stack.heard(thread, 'prompt_answered');
    expect(told).toMatchObject({ item, prompt: { answers: [{ question, answer: [words] }] } });
  });
});

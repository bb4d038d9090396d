import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { assembly, changedAssembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import { ANNA, BEN, eventOf, type QuietStack, startQuietStack } from './quiet-stack.ts';

/** Somebody recorded a good webhook and sends it again, or has the secret and makes webhooks up. */
const options = [{ label: 'Approve' }, { label: 'Deny' }];
const approval = (request_id: string) => ({
  request_id,
  kind: 'approval',
  questions: [{ question: `${request_id}?`, options }],
});
const threadOf = (session_id: string): Thread => ({ revision_id: 'rev', session_id, alias: 'main' });
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

const lines: string[] = [];
const stops = new StopStack();
afterAll(() => stops.stopAll());

async function raises(stack: QuietStack, thread: Thread, request_id: string): Promise<string> {
  const answer = await stack.call(thread, 'prompts', approval(request_id));
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { prompt: { prompt_id: string } }).prompt.prompt_id;
}
const statuses = async (answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status);

/** The resolver has nothing more to do. */
async function settled({ stack, operator }: QuietStack): Promise<void> {
  const QueueUrl = stack.addresses.resolver_queue_url;
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] });
  await eventually(async () => {
    const { Attributes } = await operator.send(read);
    return names.every((name) => Attributes?.[name] === '0');
  }, 'an empty queue');
}
const resolved = (item: Item, fact: string) =>
  lines.filter((line) => line.includes(`"item_id":"${item.id}"`) && line.includes(fact)).length;

describe('a recorded webhook', () => {
  let stack: QuietStack;
  beforeAll(async () => {
    stack = await startQuietStack(await assembly(), (source, line) => lines.push(`${source} ${line}`), stops);
  }, 90_000);

  it('a recorded webhook sent again changes nothing: no second outcome, no next turn, no approval of the next prompt', async () => {
    const thread = threadOf('replayed');
    const harmless = await raises(stack, thread, 'harmless');
    const yes = await stack.posts(ANNA, thread, text('yes'));
    const replay = stack.recorded(eventOf(thread, yes));
    // Twice at once, and again when it has settled.
    expect(await statuses([replay(), replay()])).toEqual([202, 202]);
    await stack.heard(thread, 'prompt_answered');
    expect(await statuses([replay()])).toEqual([202]);
    await settled(stack);

    const dangerous = await raises(stack, thread, 'dangerous');
    expect(await statuses([replay(), replay(), replay()])).toEqual([202, 202, 202]);
    // The queue drops what comes within five minutes; an attacker, or an operator's redrive, may come later than that.
    const message = JSON.stringify({ thread, item_id: yes.id, item: yes });
    await Promise.all([stack.enqueues(thread, message), stack.enqueues(thread, message)]);
    await eventually(() => resolved(yes, '"because":"duplicate"') === 2, 'both duplicates');
    await settled(stack);
    expect(await (await stack.call(thread, 'attach', {})).json()).toMatchObject({ open: { prompt_id: dangerous } });

    const no = await stack.posts(ANNA, thread, text('no'));
    expect(await statuses([stack.recorded(eventOf(thread, no))()])).toEqual([202]);
    await eventually(async () => (await stack.told(thread)).length > 1, 'the second outcome');
    await settled(stack);
    expect((await stack.told(thread)).map((told) => [told.message_id, 'prompt' in told && told.prompt])).toMatchObject([
      [`${harmless}.answered`, { answers: [{ answer: ['Approve'] }] }],
      [`${dangerous}.answered`, { answers: [{ answer: ['Deny'] }] }],
    ]);
    const audits = (await stack.itemsOf(thread)).filter(({ metadata }) => hasType(metadata, 'pending_prompt_resolved'));
    expect(audits).toMatchObject([
      { metadata: { prompt: { prompt_id: harmless, answers: [{ answer: ['Approve'] }] } } },
      { metadata: { prompt: { prompt_id: dangerous, answers: [{ answer: ['Deny'] }] } } },
    ]);
  }, 60_000);

  it('of a next turn, it is not the next turn again, and no answer of a later question', async () => {
    const thread = threadOf('turn');
    const yes = await stack.posts(ANNA, thread, text('yes'));
    const replay = stack.recorded(eventOf(thread, yes));
    expect(await statuses([replay(), replay()])).toEqual([202, 202]);
    await stack.heard(thread, 'next_turn');
    const asked = await raises(stack, thread, 'later');
    expect(await statuses([replay()])).toEqual([202]);
    await stack.enqueues(thread, JSON.stringify({ thread, item_id: yes.id, item: yes }));
    await eventually(() => resolved(yes, '"because":"duplicate"') === 1, 'the duplicate');
    expect(await (await stack.call(thread, 'attach', {})).json()).toMatchObject({ open: { prompt_id: asked } });
    expect((await stack.told(thread)).map(({ message_id }) => message_id)).toEqual([`${yes.id}.turn`]);
  }, 60_000);

  it('of the runner itself, an echo of its own question opens and answers nothing', async () => {
    const thread = threadOf('echo');
    const asked = await raises(stack, thread, 'asked');
    const [question] = (await stack.itemsOf(thread)) as [Item];
    const replay = stack.recorded(eventOf(thread, question));
    expect(await statuses([replay(), replay()])).toEqual([202, 202]);
    await stack.enqueues(thread, JSON.stringify({ thread, item_id: question.id, item: question }));
    await eventually(() => resolved(question, '"outcome":"confirm_posted"') === 2, 'both echoes');
    expect(await (await stack.call(thread, 'attach', {})).json()).toMatchObject({ open: { prompt_id: asked } });
    expect(await stack.told(thread)).toEqual([]);
  }, 60_000);
});

/** A secret has leaked, and the stage is deployed with `trustWebhookItem: false`: only what the host holds answers. */
describe('TRUST_WEBHOOK_ITEM=false: a webhook that is signed and not true', () => {
  let stack: QuietStack;
  beforeAll(async () => {
    stack = await startQuietStack(
      await changedAssembly(distrusting),
      (source, line) => lines.push(`${source} ${line}`),
      stops,
    );
  }, 90_000);

  const forgeries: [what: string, forged: Partial<Item>][] = [
    ['of its text', text('yes')],
    ['of its structured answers', { metadata: { answers: [{ question: 'asked?', answer: ['Approve'] }] } }],
    ['of its author', { user_id: BEN.user_id }],
    ['of its time', { created_at: '2001-01-01T00:00:00Z' }],
    ['of its question', { metadata: { prompt_id: 'prm_01J00000000000000000000000' } }],
  ];
  it.each(forgeries)('a lie %s changes nothing: the item as the host holds it answers', async (what, forged) => {
    const thread = threadOf(`forged ${what}`);
    const raise = { ...approval('asked'), allowed_user_ids: [ANNA.user_id] };
    expect((await stack.call(thread, 'prompts', raise)).status).toBe(201);
    const no = await stack.posts(ANNA, thread, text('no'));
    const body = eventOf(thread, { ...no, ...forged });
    expect(await statuses([stack.recorded(body)()])).toEqual([202]);
    const outcome = await stack.heard(thread, 'prompt_answered');
    expect(outcome).toMatchObject({ item: no, prompt: { answers: [{ answer: ['Deny'] }] } });
  });

  it('somebody who may not answer does not by a lie of who it was', async () => {
    const thread = threadOf('disallowed');
    const raise = { ...approval('asked'), allowed_user_ids: [ANNA.user_id] };
    expect((await stack.call(thread, 'prompts', raise)).status).toBe(201);
    const yes = await stack.posts(BEN, thread, text('yes'));
    const body = eventOf(thread, { ...yes, user_id: ANNA.user_id });
    expect(await statuses([stack.recorded(body)()])).toEqual([202]);
    expect(await stack.heard(thread, 'next_turn')).toMatchObject({ item: yes });
    expect(await (await stack.call(thread, 'attach', {})).json()).toMatchObject({ open: { request_id: 'asked' } });
  });

  it('a yes from before the question does not approve it by a lie of when it was', async () => {
    const thread = threadOf('earlier');
    const yes = await stack.posts(ANNA, thread, text('yes'));
    expect((await stack.call(thread, 'prompts', approval('asked'))).status).toBe(201);
    expect(await statuses([stack.recorded(eventOf(thread, { ...yes, created_at: LATER }))()])).toEqual([202]);
    expect(await stack.heard(thread, 'next_turn')).toMatchObject({ item: yes });
    expect(await (await stack.call(thread, 'attach', {})).json()).toMatchObject({ open: { request_id: 'asked' } });
  });

  it('an item that the host does not know answers nothing, and is put aside', async () => {
    const thread = threadOf('unknown');
    expect((await stack.call(thread, 'prompts', approval('asked'))).status).toBe(201);
    const made = { id: 'itm_made_up', created_at: LATER, user_id: ANNA.user_id, ...text('yes') };
    expect(await statuses([stack.recorded(eventOf(thread, made))()])).toEqual([202]);
    const parked = () =>
      lines.some((line) => line.includes('"item_parked"') && line.includes('does not know the item'));
    await eventually(parked, 'the item put aside', 30_000);
    expect(await stack.told(thread)).toEqual([]);
    expect(await (await stack.call(thread, 'attach', {})).json()).toMatchObject({ open: { request_id: 'asked' } });
    // It was not in the way of a true one.
    const no = await stack.posts(ANNA, thread, text('no'));
    expect(await statuses([stack.recorded(eventOf(thread, no))()])).toEqual([202]);
    expect(await stack.heard(thread, 'prompt_answered')).toMatchObject({ prompt: { answers: [{ answer: ['Deny'] }] } });
  }, 60_000);
});

const LATER = '2099-01-01T00:00:00.000000+00:00';

function hasType(metadata: unknown, type: string): boolean {
  return (metadata as { type?: unknown } | undefined)?.type === type;
}

/** What `trustWebhookItem: false` in infra/config.ts makes of the template (test/infra/functions.test.ts). */
function distrusting(template: string): string {
  return template.replace('"TRUST_WEBHOOK_ITEM": "true"', '"TRUST_WEBHOOK_ITEM": "false"');
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST_ID_LIMIT } from '#core/host-schemas.ts';
import type { Item } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import { ANNA, eventOf, type QuietStack, startQuietStack } from './quiet-stack.ts';

/**
 * Webhooks within the 512 KiB whose one part is larger than anybody needs. Whatever becomes of such an item, it must not
 * fail for ever: then nothing that is written on its thread later reaches anybody (I13).
 */
const LATER = '2099-01-01T00:00:00.000000+00:00';
/** Three bytes in a body, six in a message of the queue. */
const WIDE = '\uFFFE';
const ITEM = { id: 'itm_large', created_at: LATER, user_id: ANNA.user_id, content: [{ type: 'text', text: 'no' }] };
const options = [{ label: 'Approve' }, { label: 'Deny' }];
const approval = { request_id: 'call_1', kind: 'approval', questions: [{ question: 'May I?', options }] };

const TAKEN: Record<string, Partial<Item>> = {
  'the longest ids': { id: WIDE.repeat(HOST_ID_LIMIT), user_id: WIDE.repeat(HOST_ID_LIMIT) },
  'a text': { content: [{ type: 'text', text: 'x'.repeat(500_000) }] },
  'an own-purpose field': { more: WIDE.repeat(170_000) },
  'a block of another kind': { content: [{ type: 'image', data: 'x'.repeat(500_000) }] },
  // With stale_for it is told twice.
  'the name of another prompt': { metadata: { prompt_id: WIDE.repeat(150_000) } },
  // One that the host itself takes: 350 KB. The answers are told twice.
  'answers of 198 KB beside a text of 150 KB': {
    content: [{ type: 'text', text: WIDE.repeat(50_000) }],
    metadata: { answers: [{ question: 'May I?', answer: [WIDE.repeat(66_000)] }] },
  },
};
const REFUSED: Record<string, Partial<Item>> = {
  'an id': { id: 'x'.repeat(250_000) },
  'an author': { user_id: 'x'.repeat(420_000) },
  'a time to the 420,000th digit': { created_at: `2099-01-01T00:00:00.${'1'.repeat(420_000)}Z` },
  'the id of what it replies to': { parent_id: WIDE.repeat(170_000) },
};

const stops = new StopStack();
let stack: QuietStack;
/** The session for which there is no host now. */
let away = '';
const ends = new Map<string, Promise<'goes on' | 'is blocked'>>();

beforeAll(async () => {
  const says = (_path: string, body: string) => (away !== '' && body.includes(away) ? 'hangs_up' : undefined);
  stack = await startQuietStack(await assembly(), () => {}, stops, { says });
  for (const [what, item] of Object.entries(TAKEN)) ends.set(what, endOf(what, item));
  await Promise.all(ends.values());
}, 120_000);
afterAll(() => stops.stopAll());

/** A question is asked, the item comes, and after it a good reply: that one settles the question, or is a next turn. */
async function endOf(what: string, given: Partial<Item>): Promise<'goes on' | 'is blocked'> {
  const thread: Thread = { revision_id: 'rev', session_id: what, alias: 'main' };
  expect((await stack.call(thread, 'prompts', approval)).status).toBe(201);
  expect((await stack.recorded(eventOf(thread, { ...ITEM, ...given }))()).status).toBe(202);
  const good = { ...ITEM, id: 'itm_good' };
  expect((await stack.recorded(eventOf(thread, good))()).status).toBe(202);
  const isHeard = async () => (await stack.told(thread)).some((told) => 'item' in told && told.item.id === good.id);
  return eventually(isHeard, 'the good reply', 15_000).then(
    () => 'goes on',
    () => 'is blocked',
  );
}

describe('the thread goes on after an item with a large part', () => {
  it.each(Object.keys(TAKEN))('%s', async (what) => {
    expect(await ends.get(what)).toBe('goes on');
  });
});

it.each(Object.entries(REFUSED))('no host has it, and it is refused at the door: %s', async (what, given) => {
  const thread: Thread = { revision_id: 'rev', session_id: what, alias: 'main' };
  const refused = await stack.recorded(eventOf(thread, { ...ITEM, ...given }))();
  expect(refused.status).toBe(400);
});

it('an outcome whose item was large is told, or to be asked for again, while the host is away', async () => {
  const thread: Thread = { revision_id: 'rev', session_id: 'ses_away', alias: 'main' };
  expect((await stack.call(thread, 'prompts', approval)).status).toBe(201);
  const item = await stack.posts(ANNA, thread, { content: [{ type: 'text', text: 'no '.repeat(20_000) }] });
  expect((await stack.recorded(eventOf(thread, item))()).status).toBe(202);
  await stack.heard(thread, 'prompt_answered');
  away = thread.session_id;
  expect((await stack.call(thread, 'attach', {})).status).toBe(503);
  away = '';
  const attached = await stack.call(thread, 'attach', {});
  expect(await attached.json()).toMatchObject({ open: null, unacknowledged: [{ item: { id: item.id } }] });
});

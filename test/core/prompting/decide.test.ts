import { describe, expect, it } from 'vitest';
import { HOST_ID_LIMIT } from '#core/host-schemas.ts';
import type { Item } from '#core/item.ts';
import { type Decision, decide, type Receipt } from '#core/prompting/decide.ts';
import type { Slot } from '#core/prompting/slot.ts';
import {
  answered,
  at,
  item,
  OTHER_PROMPT_ID,
  OWN_USER,
  open,
  PROMPT_ID,
  posting,
  slotWith,
} from '../../support/given.ts';

const when = (slot: Slot, inbound: Item, receipts: Record<string, Receipt> = {}): Decision =>
  decide({ slot, receipts: new Map(Object.entries(receipts)), ownUserId: OWN_USER }, inbound);
const anOpenPrompt = slotWith({ active: open() });

describe('an item answers the open prompt', () => {
  it('later than the question, by any user (A1, A6)', () => {
    expect(when(anOpenPrompt, item('yes'))).toEqual({
      do: 'settle',
      prompt: open(),
      answers: [{ question: 'Run it?', answer: ['Approve'] }],
      mapping: { answers: [{ question: 'Run it?', answer: ['Approve'] }], paths: ['token'] },
    });
  });
  it('by one microsecond', () => {
    expect(when(anOpenPrompt, item('yes', { created_at: at(101) })).do).toBe('settle');
  });
  it('by a user on the list (A6)', () => {
    const slot = slotWith({ active: open({ allowed_user_ids: ['usr_boss', 'usr_anna'] }) });
    expect(when(slot, item('yes')).do).toBe('settle');
  });
  it.each([
    ['metadata.prompt_id', { metadata: { prompt_id: PROMPT_ID } }],
    ['metadata.prompt.prompt_id', { metadata: { prompt: { prompt_id: PROMPT_ID } } }],
    ['parent_id of the question', { parent_id: 'itm_question' }],
    ['parent_id of something unknown', { parent_id: 'itm_elsewhere' }],
    ['parent_id null', { parent_id: null }],
    ['a prompt_id that is no text', { metadata: { prompt_id: 5 } }],
    ['metadata null', { metadata: null }],
    ['metadata that is a text', { metadata: 'type' }],
    ['metadata that is a list', { metadata: ['type'] }],
    ['type null', { metadata: { type: null } }],
    ['a type behind __proto__ (S5)', { metadata: JSON.parse('{"__proto__":{"type":"status"}}') }],
    ['a name behind __proto__ (S5)', { metadata: JSON.parse(`{"__proto__":{"prompt_id":"${OTHER_PROMPT_ID}"}}`) }],
  ])('naming it, or nothing else: %s (A5)', (_, more) => {
    const receipts = { itm_question: { use: 'prompt', prompt_id: PROMPT_ID } as const };
    expect(when(anOpenPrompt, item('no', more), receipts).do).toBe('settle');
  });
  it('with nothing but an empty text, an approval is denied (A7)', () => {
    expect(when(anOpenPrompt, item(' '))).toMatchObject({ do: 'settle', answers: [{ answer: ['Deny'] }] });
  });
  it('with answers of just 200 KiB (A9)', () => {
    const slot = slotWith({ active: open({ kind: 'text', questions: [{ question: 'q' }] }) });
    const around = JSON.stringify([{ question: 'q', answer: [''] }]).length;
    expect(when(slot, item('x'.repeat(200 * 1024 - around))).do).toBe('settle');
    expect(when(slot, item('x'.repeat(200 * 1024 - around + 1)))).toEqual({
      do: 'next_turn',
      because: 'answer_too_large',
    });
  });
});

describe('an item becomes a next turn', () => {
  it.each([
    ['when nothing is open', slotWith(), item('hi'), { because: 'no_open_prompt' }],
    [
      'with structured answers and nothing open (S6)',
      slotWith(),
      item('hi', { metadata: { answers: [] } }),
      { because: 'no_open_prompt' },
    ],
    [
      'written in the microsecond of the question (A1)',
      anOpenPrompt,
      item('yes', { created_at: at(100) }),
      { because: 'written_before_the_question' },
    ],
    [
      'written before the question (A1)',
      anOpenPrompt,
      item('yes', { created_at: at(99) }),
      { because: 'written_before_the_question' },
    ],
    [
      'with a time that cannot be read',
      anOpenPrompt,
      item('yes', { created_at: 'yesterday' }),
      { because: 'written_before_the_question' },
    ],
    [
      'by a user not on the list (A6)',
      slotWith({ active: open({ allowed_user_ids: ['usr_boss'] }) }),
      item('yes'),
      { because: 'not_allowed' },
    ],
    [
      'naming another prompt (A5)',
      anOpenPrompt,
      item('yes', { metadata: { prompt_id: OTHER_PROMPT_ID } }),
      { because: 'names_another_prompt', stale_for: OTHER_PROMPT_ID },
    ],
    [
      'naming another prompt in metadata.prompt (A5)',
      anOpenPrompt,
      item('yes', { metadata: { prompt: { prompt_id: 'x' } } }),
      { because: 'names_another_prompt', stale_for: 'x' },
    ],
    [
      'naming what is longer than any id: a message must hold it (I13)',
      anOpenPrompt,
      item('yes', { metadata: { prompt_id: 'x'.repeat(HOST_ID_LIMIT + 1) } }),
      { because: 'names_another_prompt', stale_for: 'x'.repeat(HOST_ID_LIMIT) },
    ],
    [
      'naming the open one and another (A5)',
      anOpenPrompt,
      item('yes', { metadata: { prompt_id: PROMPT_ID, prompt: { prompt_id: 'x' } } }),
      { because: 'names_another_prompt', stale_for: 'x' },
    ],
    [
      'naming a prompt when none is open',
      slotWith(),
      item('yes', { metadata: { prompt_id: PROMPT_ID } }),
      { because: 'names_another_prompt', stale_for: PROMPT_ID },
    ],
    [
      'with an image and no text (A7)',
      slotWith({ active: open({ kind: 'text', questions: [{ question: 'q' }] }) }),
      item(' ', { content: [{ type: 'image' }] }),
      { because: 'no_text' },
    ],
  ])('%s', (_, slot, inbound, expected) => {
    expect(when(slot, inbound)).toEqual({ do: 'next_turn', ...expected });
  });
  it('replying to the item of an earlier prompt (A5)', () => {
    const receipts = { itm_earlier: { use: 'prompt', prompt_id: OTHER_PROMPT_ID } as const };
    expect(when(anOpenPrompt, item('yes', { parent_id: 'itm_earlier' }), receipts)).toEqual({
      do: 'next_turn',
      because: 'names_another_prompt',
      stale_for: OTHER_PROMPT_ID,
    });
  });
  it('replying to an item that answered: that names nothing', () => {
    const receipts = { itm_0: { use: 'answer', prompt_id: OTHER_PROMPT_ID } as const };
    expect(when(anOpenPrompt, item('yes', { parent_id: 'itm_0' }), receipts).do).toBe('settle');
  });
});

describe('an item changes nothing', () => {
  it.each([
    [
      'used as a next turn before (A4)',
      anOpenPrompt,
      item('yes'),
      { itm_1: { use: 'next_turn' } as Receipt },
      'duplicate',
    ],
    [
      'used as an answer before (A4)',
      anOpenPrompt,
      item('yes'),
      { itm_1: { use: 'answer', prompt_id: PROMPT_ID } as Receipt },
      'duplicate',
    ],
    ['of the runner itself (A6)', anOpenPrompt, item('yes', { user_id: OWN_USER }), {}, 'own_item'],
    [
      'of the runner itself, with answers (A6)',
      anOpenPrompt,
      item('x', { user_id: OWN_USER, metadata: { answers: [] } }),
      {},
      'own_item',
    ],
    [
      'remembered as ours, whoever its author is now',
      anOpenPrompt,
      item('yes'),
      { itm_1: { use: 'prompt', prompt_id: PROMPT_ID } as Receipt },
      'own_item',
    ],
    [
      'of the runner, typed otherwise (T4)',
      anOpenPrompt,
      item('yes', { user_id: OWN_USER, metadata: { type: 'status', prompt: { prompt_id: PROMPT_ID } } }),
      {},
      'own_item',
    ],
    [
      'of the runner, a prompt item without an id',
      anOpenPrompt,
      item('yes', { user_id: OWN_USER, metadata: { type: 'pending_prompt' } }),
      {},
      'own_item',
    ],
    ['typed (T4)', anOpenPrompt, item('approve', { metadata: { type: 'tool_result' } }), {}, 'typed_item'],
    ['typed with an empty text (T4)', anOpenPrompt, item('approve', { metadata: { type: '' } }), {}, 'typed_item'],
    [
      'a forged echo by somebody else (T4)',
      slotWith({ active: posting() }),
      item('x', { metadata: { type: 'pending_prompt', prompt: { prompt_id: PROMPT_ID } } }),
      {},
      'typed_item',
    ],
    [
      'with nothing in it at all (A7)',
      slotWith({ active: open({ kind: 'text', questions: [{ question: 'q' }] }) }),
      item(' \n'),
      {},
      'empty_item',
    ],
  ])('%s', (_, slot, inbound, receipts, because) => {
    expect(when(slot, inbound, receipts)).toEqual({ do: 'ignore', because });
  });
});

describe('an item finishes, waits or confirms', () => {
  it('that answered already: what is left of its own prompt is finished (A4)', () => {
    const slot = slotWith({ active: open({ prompt_id: OTHER_PROMPT_ID }), outbox: [answered()] });
    expect(when(slot, item('yes'))).toEqual({ do: 'finish', prompt_id: PROMPT_ID });
  });
  it('waits while the question is being posted (A2)', () => {
    expect(when(slotWith({ active: posting() }), item('yes'))).toEqual({ do: 'wait', prompt: posting() });
  });
  it('that answered an unfinished prompt does not wait for the next question', () => {
    const slot = slotWith({ active: posting({ prompt_id: OTHER_PROMPT_ID }), outbox: [answered()] });
    expect(when(slot, item('yes')).do).toBe('finish');
  });
  it.each([
    ['pending_prompt', 'confirm_posted'],
    ['pending_prompt_resolved', 'confirm_audited'],
  ])('is our own %s come back (T4)', (type, does) => {
    const echo = item('x', { user_id: OWN_USER, metadata: { type, prompt: { prompt_id: PROMPT_ID } } });
    expect(when(slotWith({ active: posting() }), echo)).toEqual({ do: does, prompt_id: PROMPT_ID });
  });
});

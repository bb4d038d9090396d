import { describe, expect, it } from 'vitest';
import { adopt, adoptOpen, adoptOutcome, adoptSuperseded, endReplay, readOwnItem } from '#core/prompting/adopt.ts';
import { CLAIM_MS, SUPERSEDED } from '#core/prompting/slot.ts';
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

const { kind, questions, request_id } = open();
const posted = { prompt_id: PROMPT_ID, kind, prompt_state: 'pending', questions, request_id };
const own = (type: string, prompt: unknown, more = {}) =>
  item('x', { id: 'itm_question', created_at: at(100), user_id: OWN_USER, metadata: { type, prompt }, ...more });
const read = (inbound: ReturnType<typeof item>) => readOwnItem(inbound, OWN_USER, 1000);
const cancelled = (prompt: ReturnType<typeof open>) => {
  return { ...prompt, state: 'cancelled', reason: SUPERSEDED, settled_at: 9000, claimed_until: 9000 + CLAIM_MS };
};

describe('an item on the thread (P10)', () => {
  it('of ours asks a question again, as guarded as before (A6)', () => {
    expect(read(own('pending_prompt', posted))).toEqual({ tells: 'question', prompt: open() });
    const guarded = { ...posted, allowed_user_ids: ['usr_boss'] };
    expect(read(own('pending_prompt', guarded))).toEqual({
      tells: 'question',
      prompt: open({ allowed_user_ids: ['usr_boss'] }),
    });
  });
  it('of an older deployment has no request id', () => {
    const { request_id: _, ...older } = posted;
    expect(read(own('pending_prompt', older))).toMatchObject({ prompt: { request_id: '' } });
  });
  it('of ours tells an answer', () => {
    const answers = [{ question: 'Run it?', answer: ['Approve'] }];
    const audit = own('pending_prompt_resolved', { prompt_id: PROMPT_ID, prompt_state: 'answered', answers });
    const answered_by = { item_id: 'itm_question', user_id: OWN_USER, created_at: at(100) };
    expect(read(audit)).toEqual({
      tells: 'outcome',
      prompt_id: PROMPT_ID,
      outcome: { state: 'answered', answers, answered_by, item: audit },
    });
  });
  it.each([
    ['its reason', { reason: 'the run ended' }, 'the run ended'],
    ['no reason', {}, 'cancelled'],
    ['answers that are none', { answers: [{ question: 'Run it?', answer: 'Approve' }] }, 'cancelled'],
  ])('of ours tells a cancel with %s', (_, more, reason) => {
    expect(read(own('pending_prompt_resolved', { prompt_id: PROMPT_ID, ...more }))).toEqual({
      tells: 'outcome',
      prompt_id: PROMPT_ID,
      outcome: { state: 'cancelled', reason },
    });
  });
  it.each([
    ["somebody else's question", own('pending_prompt', posted, { user_id: 'usr_eve' })],
    ["somebody else's outcome", own('pending_prompt_resolved', { prompt_id: PROMPT_ID }, { user_id: 'usr_eve' })],
    ['another type', own('status', posted)],
    ['a question without an id of ours', own('pending_prompt', { ...posted, prompt_id: 'prm_1' })],
    ['a question of an unknown kind', own('pending_prompt', { ...posted, kind: 'poll' })],
    ['a prompt without questions', own('pending_prompt', { ...posted, questions: [] })],
    ['a question that is no text', own('pending_prompt', { ...posted, questions: [{ question: 5 }] })],
    ['a request id that is no text', own('pending_prompt', { ...posted, request_id: 5 })],
    ['a list of nobody', own('pending_prompt', { ...posted, allowed_user_ids: [] })],
    ['a list of numbers', own('pending_prompt', { ...posted, allowed_user_ids: [5] })],
    ['an outcome of nothing', own('pending_prompt_resolved', {})],
    ['no metadata', item('x', { user_id: OWN_USER })],
  ])('says nothing: %s', (_, inbound) => {
    expect(read(inbound)).toBeUndefined();
  });
});

describe('adoption', () => {
  it('makes the newest unresolved question the active prompt, its replies to be replayed', () => {
    expect(adoptOpen(slotWith(), open(), 9000)).toEqual(slotWith({ active: open({ replay: true }) }));
  });
  it('supersedes the prompt that a restored table holds', () => {
    const older = open({ prompt_id: OTHER_PROMPT_ID });
    expect(adoptOpen(slotWith({ active: older }), open(), 9000)).toEqual(
      slotWith({ active: open({ replay: true }), outbox: [cancelled(older) as never] }),
    );
  });
  it.each([
    ['a question is on its way', slotWith({ active: posting({ prompt_id: OTHER_PROMPT_ID }) })],
    ['it is active already', slotWith({ active: open() })],
  ])('leaves the slot alone where %s', (_, slot) => {
    expect(adoptOpen(slot, open(), 9000)).toBeUndefined();
  });
  it('cancels an older unresolved question, once', () => {
    const slot = adoptSuperseded(slotWith(), open(), 9000);
    expect(slot).toEqual(slotWith({ outbox: [cancelled(open()) as never] }));
    expect(adoptSuperseded(slot ?? slotWith(), open(), 9500)).toBeUndefined();
    expect(adoptSuperseded(slotWith({ active: open() }), open(), 9000)).toBeUndefined();
  });
  it.each([
    ['active', slotWith({ active: open() }), undefined],
    ['settled and unfinished', slotWith({ outbox: [answered()] }), undefined],
    ['past', slotWith(), { prompt_id: PROMPT_ID }],
  ])('leaves a prompt alone that is %s here after all', (_, slot, past) => {
    for (const isNewest of [true, false]) expect(adopt(slot, past, open(), isNewest, 9000)).toBeUndefined();
  });
  it('opens the newest question, and supersedes what is older (P5)', () => {
    const other = { prompt_id: OTHER_PROMPT_ID };
    const superseded = [cancelled(open())] as never;
    expect(adopt(slotWith(), other, open(), true, 9000)).toEqual(slotWith({ active: open({ replay: true }) }));
    expect(adopt(slotWith(), undefined, open(), false, 9000)).toEqual(slotWith({ outbox: superseded }));
    for (const active of [posting(other), open({ ...other, posted_at: at(101) })]) {
      expect(adopt(slotWith({ active }), undefined, open(), true, 9000)).toEqual(
        slotWith({ active, outbox: superseded }),
      );
    }
    const older = open({ ...other, posted_at: at(99) });
    expect(adopt(slotWith({ active: older }), undefined, open(), true, 9000)?.active).toEqual(open({ replay: true }));
  });
  it('takes the outcome of the active prompt from the thread: the runner was told before (I3)', () => {
    const outcome = { state: 'cancelled', reason: 'the run ended' } as const;
    const { state, ...prompt } = open();
    expect(adoptOutcome(slotWith({ active: open() }), PROMPT_ID, outcome, 9000)).toEqual(
      slotWith({ outbox: [{ ...prompt, ...outcome, settled_at: 9000, notified_at: 9000 }] }),
    );
    for (const active of [posting(), open({ prompt_id: OTHER_PROMPT_ID })]) {
      expect(adoptOutcome(slotWith({ active }), PROMPT_ID, outcome, 9000)).toBeUndefined();
    }
    expect(adoptOutcome(slotWith({ outbox: [answered()] }), PROMPT_ID, outcome, 9000)).toBeUndefined();
  });
  it('ends the replay of this prompt only', () => {
    const replaying = slotWith({ active: open({ replay: true }) });
    expect(endReplay(replaying, PROMPT_ID)).toEqual(slotWith({ active: open() }));
    expect(endReplay(replaying, OTHER_PROMPT_ID)).toBeUndefined();
    expect(endReplay(slotWith({ active: open() }), PROMPT_ID)).toBeUndefined();
    expect(endReplay(slotWith({ active: posting() }), PROMPT_ID)).toBeUndefined();
    expect(endReplay(slotWith(), PROMPT_ID)).toBeUndefined();
  });
});

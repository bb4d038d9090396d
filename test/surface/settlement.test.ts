import { expect, it } from 'vitest';
import type { Item } from '#core/item.ts';
import { settlementOf } from '../../surface/settlement.ts';
import { APPROVAL, asked, audited, FORM, itemBy } from './prompts.ts';

const QUESTION = 'Run it?';
const approved = [{ question: QUESTION, answer: ['Approve'] }];
const denied = [{ question: QUESTION, answer: ['Deny'] }];
const answered = (answers: object[], by?: string) =>
  audited({ prompt_id: 'prm_1', prompt_state: 'answered', answers }, by);

/** The thread after the question, in order. */
function settled(...make: (() => Item)[]) {
  const question = asked(APPROVAL);
  const later = make.map((next) => next());
  return { question, later, settlement: settlementOf(question, [itemBy('usr_anna', 'yes'), question, ...later]) };
}

it('is open while nothing follows, or nothing that answers', () => {
  expect(settled().settlement).toBeUndefined();
  expect(
    settled(
      () => itemBy('usr_runner', 'yes'),
      () => itemBy('usr_anna', 'yes', { type: 'note' }),
      () => itemBy('usr_anna', 'yes', { prompt_id: 'prm_other' }),
    ).settlement,
  ).toBeUndefined();
});

it('is being answered by the first item that the resolver would take, until the audit item', () => {
  const { settlement, later } = settled(() => itemBy('usr_ben', 'yes'));
  expect(settlement).toEqual({
    state: 'answering',
    answers: approved,
    at: later[0]?.created_at,
    by: { user_id: 'usr_ben', item_id: later[0]?.id },
  });
});

it('was answered by the first whose answers are those of the audit item', () => {
  const { settlement, later } = settled(
    () => itemBy('usr_ben', 'no'),
    () => itemBy('usr_anna', 'yes'),
    () => itemBy('usr_ben', 'yes'),
    () => answered(approved),
  );
  expect(settlement).toEqual({
    state: 'answered',
    answers: approved,
    at: later[3]?.created_at,
    by: { user_id: 'usr_anna', item_id: later[1]?.id },
  });
});

it('was answered by nobody that the thread can tell where no item has those answers', () => {
  const { settlement } = settled(
    () => itemBy('usr_ben', 'no'),
    () => answered(approved),
  );
  expect(settlement).toMatchObject({ state: 'answered', answers: approved });
  expect(settlement).not.toHaveProperty('by');
});

it('was cancelled for the reason of the audit item, though somebody answered', () => {
  const cancel = { prompt_id: 'prm_1', prompt_state: 'cancelled', reason: 'the run ended' };
  const { settlement } = settled(
    () => itemBy('usr_ben', 'no'),
    () => audited(cancel),
  );
  expect(settlement).toMatchObject({ state: 'cancelled', reason: 'the run ended' });
  expect(settled(() => answered([{ question: 1 }])).settlement).toMatchObject({ state: 'cancelled' });
});

it('believes nobody else about the outcome, and no audit item of another prompt', () => {
  expect(settled(() => answered(denied, 'usr_ben')).settlement).toBeUndefined();
  expect(settled(() => audited({ prompt_id: 'prm_9', answers: denied })).settlement).toBeUndefined();
});

it('counts only an answer of somebody who may answer', () => {
  const question = asked({ ...APPROVAL, allowed_user_ids: ['usr_anna'] });
  const items = [question, itemBy('usr_ben', 'yes')];
  expect(settlementOf(question, items)).toBeUndefined();
  expect(settlementOf(question, [...items, itemBy('usr_anna', 'no')])).toMatchObject({ by: { user_id: 'usr_anna' } });
});

it('knows an item that names another prompt by replying to it', () => {
  const [first, second] = [asked(APPROVAL), asked({ ...APPROVAL, prompt_id: 'prm_2' })];
  const reply = { ...itemBy('usr_anna', 'yes'), parent_id: first.id };
  expect(settlementOf(second, [first, second, reply])).toBeUndefined();
  expect(settlementOf(first, [first, second, reply])).toMatchObject({ state: 'answering' });
});

it('is over once another question follows, also where its audit item is still owed', () => {
  const { settlement } = settled(() => asked(FORM));
  expect(settlement).toMatchObject({ state: 'over' });
  expect(settled(() => asked(FORM, 'usr_ben')).settlement).toBeUndefined();
});

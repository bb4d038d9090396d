import { expect, it } from 'vitest';
import { isFrom, type PostedAnswer } from '../../surface/is-from.ts';
import type { Settlement } from '../../surface/settlement.ts';

const at = '2026-05-28T12:00:00.000000+00:00';
const yes = [{ question: 'Run it?', answer: ['Approve'] }];
const no = [{ question: 'Run it?', answer: ['Deny'] }];
const by = { user_id: 'usr_anna', item_id: 'itm_1' };
const answered = (more: object = {}): Settlement => ({ state: 'answered', answers: yes, at, ...more });

it.each<[string, PostedAnswer, Settlement, boolean]>([
  ['the item that answered', { id: 'itm_1', answers: yes }, answered({ by }), true],
  ['another item with the same answers', { id: 'itm_2', answers: yes }, answered({ by }), false],
  ['the same answers where nobody knows which item', { id: 'itm_2', answers: yes }, answered(), true],
  ['other answers where nobody knows which item', { id: 'itm_2', answers: no }, answered(), false],
  ['the same answers where the host did not tell the id', { answers: yes }, answered({ by }), true],
  ['an answer in words where nobody knows which item', { id: 'itm_2' }, answered(), true],
  ['any answer to a cancelled prompt', { id: 'itm_1', answers: yes }, { state: 'cancelled', reason: 'r', at }, false],
  ['any answer whose audit item is still owed', { id: 'itm_1', answers: yes }, { state: 'over', at }, true],
])('%s', (_name, posted, settlement, expected) => {
  expect(isFrom(posted, settlement)).toBe(expected);
});

import { expect, it } from 'vitest';
import { ageText } from '../../surface/age.ts';
import { addressOf, threadAt } from '../../surface/page/address.ts';
import { openPromptOf, readThread } from '../../surface/read-thread.ts';
import { TEXTS } from '../../surface/texts.ts';
import { APPROVAL, asked, audited, FORM, itemBy } from './prompts.ts';

it('shows messages, questions with their outcome, and steps between them folded together', () => {
  const first = asked(APPROVAL);
  const items = [
    itemBy('usr_anna', 'Build it.'),
    itemBy('usr_runner', 'a', { type: 'tool_call' }),
    itemBy('usr_runner', 'b', { type: 'tool_result' }),
    first,
    audited({ prompt_id: 'prm_1', reason: 'the run ended' }),
    itemBy('usr_runner', 'Done.'),
    asked(FORM),
  ];
  const entries = readThread(items, 'usr_runner');
  expect(entries.map(({ is }) => is)).toEqual(['message', 'steps', 'prompt', 'message', 'prompt']);
  expect(entries[1]).toMatchObject({ items: [items[1], items[2]] });
  expect(entries[2]).toMatchObject({ item: first, settled: { state: 'cancelled' } });
  expect(openPromptOf(entries)).toBe(items[6]);
});

it('has no open question after its outcome, however many before were left without one', () => {
  const items = [asked({ prompt_id: 'x' }), asked(APPROVAL), audited({ prompt_id: 'prm_1', reason: 'r' })];
  expect(openPromptOf(readThread(items, 'usr_runner'))).toBeUndefined();
});

it('shows what others post under the types of the agent as their messages', () => {
  const items = [
    asked(FORM, 'usr_ben'),
    audited({ prompt_id: 'prm_2' }, 'usr_ben'),
    itemBy('usr_ben', 'x', { type: 't' }),
  ];
  expect(readThread(items, 'usr_runner').map(({ is }) => is)).toEqual(['message', 'message', 'message']);
  expect(readThread(items).map(({ is }) => is)).toEqual(['prompt', 'steps']);
});

it.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [86_400_000, '1 day'],
  [7 * 86_400_000, '7 days'],
  [-5000, '0 s'],
])('tells an age of %i ms as %s', (ms, text) => {
  const then = '2026-05-28T12:00:00.000000+00:00';
  expect(ageText(then, Date.parse(then) + ms, TEXTS)).toBe(text);
});

it("finds a thread again by its place in the page's address, whatever its ids hold", () => {
  const thread = { revision_id: 'a/b', session_id: '#ü?', alias: '%2F' };
  expect(threadAt(addressOf(thread))).toEqual(thread);
  for (const hash of ['', '#', '#/a/b', '#/a/b/c/d', '#/a/b/%']) expect(threadAt(hash), hash).toBeUndefined();
});

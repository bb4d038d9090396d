import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../runner/ask.ts';
import { approvalOf, heard } from '../../runner/reply-texts.ts';
import { answered, item } from './outcomes.ts';

type Told = Parameters<typeof approvalOf>[0];
const malformed = (outcome: unknown) => outcome as Told;
const SAW_NOBODY = 'No human saw or refused it.';

describe('an approval', () => {
  it('is given by exactly ["Approve"]', () => {
    expect(approvalOf(answered([['Approve']]))).toBe('approved');
  });

  it.each([
    [['approve']],
    [['Approve', 'Approve']],
    [['Approve', 'Deny']],
    [['Approve ']],
    [['yes']],
    [['Deny']],
    [[]],
  ])('is denied by %j', (answer) => {
    expect(approvalOf(answered([answer]))).toHaveProperty('refusal', expect.stringMatching(/^The user denied/));
  });

  it("is denied in the user's own words, all of them", () => {
    const outcome = answered([['Deny']], 'not on a Friday\nask Ben first');
    expect(approvalOf(outcome)).toEqual({
      refusal: 'The user denied this request: not on a Friday\nask Ben first',
      decided: true,
    });
  });

  it.each(['', 'Deny', ' deny '])('is denied without more words where %j is all that was said', (text) => {
    expect(approvalOf(answered([['Deny']], text))).toEqual({ refusal: 'The user denied this request.', decided: true });
  });

  it('is denied in the words of its answer where no text came with them', () => {
    expect(approvalOf(answered([['use staging']], ''))).toEqual({
      refusal: 'The user denied this request: use staging',
      decided: true,
    });
  });
});

describe('what nobody decided', () => {
  it('is told as a cancel with its reason', () => {
    expect(approvalOf({ state: 'cancelled', reason: 'superseded by a new question' })).toEqual({
      refusal: 'Approval cancelled: superseded by a new question. No decision was made.',
      decided: false,
    });
  });

  it.each([
    ['Approval unavailable: the thread host is down.', 'the thread host is down'],
    ['the thread host is down', 'the thread host is down'],
    ['', 'the prompt could not be posted'],
    [`Approval unavailable: the host refused. ${SAW_NOBODY}`, 'the host refused'],
  ])('is told as unavailable, once, for %j', (message, why) => {
    expect(approvalOf({ state: 'unavailable', message })).toEqual({
      refusal: `Approval unavailable: ${why}. ${SAW_NOBODY}`,
      decided: false,
    });
  });

  it.each([
    ['no answers', { state: 'answered', item: item('yes') }],
    ['no list', { state: 'answered', answers: 'Approve', item: item('yes') }],
    ['no answer at all', { state: 'answered', answers: [], item: item('yes') }],
    ['one answer too many', answered([['Approve'], ['Approve']])],
    ['an answer that is no list', { state: 'answered', answers: [{ question: '?', answer: 'Approve' }] }],
    ['an answer that is null', { state: 'answered', answers: [null] }],
    ['a label that is no text', { state: 'answered', answers: [{ question: '?', answer: [1] }] }],
    ['another state', { state: 'approved' }],
    ['no state', {}],
  ])('fails closed on %s, and blames no user', (_what, outcome) => {
    expect(approvalOf(malformed(outcome))).toEqual({
      refusal: expect.stringMatching(/^Approval unavailable: .* could not be read\. No decision was made\.$/),
      decided: false,
    });
  });
});

it('answers are heard with the words of the item, and also without an item', () => {
  const { answers } = answered([['a'], ['b', 'c']]) as Extract<Outcome, { state: 'answered' }>;
  expect(heard(answered([['a'], ['b', 'c']], 'see above'), 2)).toEqual({ answers, words: 'see above' });
  expect(heard(malformed({ state: 'answered', answers }), 2)).toEqual({ answers, words: '' });
});

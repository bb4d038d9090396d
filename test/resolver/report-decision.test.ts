import { describe, expect, it } from 'vitest';
import { METRICS } from '#core/metrics.ts';
import { decide, type ThreadState } from '#core/prompting/decide.ts';
import { reportDecision } from '../../functions/resolver/report-decision.ts';
import { at, item, OTHER_PROMPT_ID, OWN_USER, open, slotWith } from '../support/given.ts';

const secret = 'canary-8Zq';
const report = (inbound: Parameters<typeof decide>[1], prompt = open()) => {
  const state: ThreadState = { slot: slotWith({ active: prompt }), receipts: new Map(), ownUserId: OWN_USER };
  return reportDecision(decide(state, inbound), inbound);
};
const question = { question: `Where? ${secret}`, options: [{ label: `here ${secret}` }, { label: 'there' }] };
const asking = open({ kind: 'ask_user_question', questions: [question, { question: 'Why?' }] });

describe('an answer', () => {
  it('counts how each question was mapped and how long people took', () => {
    const { metrics } = report(item('2', { created_at: at(5100) }), asking);
    expect(metrics).toEqual({ Answered: 1, MappedNumber: 1, MappedText: 1, TimeToAnswerMs: 5 });
  });
  it('counts a structured set that was refused, and why goes to the log', () => {
    const { fields, metrics } = report(item('yes', { metadata: { answers: [] } }));
    expect(metrics).toMatchObject({ Answered: 1, MappedToken: 1, StructuredRefused: 1 });
    expect(fields).toMatchObject({ refused: 'wrong_number', paths: 'token' });
  });
});

it.each([
  ['written before the question', item('yes', { created_at: at(1) }), ['NextTurn', 'WrittenBeforeTheQuestion']],
  [
    'naming another prompt',
    item('yes', { metadata: { prompt_id: OTHER_PROMPT_ID } }),
    ['NextTurn', 'NamesAnotherPrompt'],
  ],
  ['typed', item('yes', { metadata: { type: 'note' } }), ['Ignored', 'TypedItem']],
  ['ours', item('yes', { user_id: OWN_USER }), ['Ignored', 'OwnItem']],
])('an item %s is counted with its reason', (_, inbound, names) => {
  expect(Object.keys(report(inbound).metrics)).toEqual(names);
});

it('no text of item or prompt is told, nor a name that somebody wrote into it (I16)', () => {
  const named = item(secret, { metadata: { prompt_id: secret } });
  expect(JSON.stringify([report(named), report(item(secret), asking)])).not.toContain(secret);
});

it('every metric has a sentence that tells what one of it means', () => {
  for (const [name, meaning] of Object.entries(METRICS)) expect([name, meaning.length > 10]).toEqual([name, true]);
});

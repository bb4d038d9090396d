import { textOf } from '#core/item.ts';
import type { Answer } from '#core/prompt.ts';
import type { Outcome } from './ask.ts';

/** What a question came to, without the outcomes that nobody should have sent. */
export type Heard = { answers: Answer[]; words: string } | { refusal: string };

/**
 * The outcome of an asking, in the words that the model reads. Whoever was not asked or did not decide is never told as
 * a refusal, or the agent picks another way where it should ask again.
 */
export function heard(outcome: Exclude<Outcome, { state: 'parked' }>, questions: number): Heard {
  switch (outcome.state) {
    case 'answered':
      if (!answersAll(outcome.answers, questions))
        return { refusal: unavailable('the answer could not be read. No decision was made.') };
      return { answers: outcome.answers, words: wordsOf(outcome.item) };
    case 'cancelled':
      return { refusal: `Approval cancelled: ${outcome.reason}. No decision was made.` };
    case 'unavailable':
      return { refusal: unavailable(outcome.message) };
    default:
      return { refusal: unavailable('the outcome could not be read. No decision was made.') };
  }
}

export function unavailable(message: string): string {
  const why =
    message.replace(/^Approval unavailable:?\s*/, '').replace(/\.\s*$/, '') || 'the prompt could not be posted';
  // The API's own message says already what is known of people.
  const isSaid = /No human saw or refused it|No decision was made/.test(why);
  return isSaid ? `Approval unavailable: ${why}.` : `Approval unavailable: ${why}. No human saw or refused it.`;
}

export type Approval = 'approved' | { refusal: string; decided: boolean };

/** Allowed on exactly `["Approve"]` (decisions.md S4); a denial carries the person's own words (A8), and is `decided`. */
export function approvalOf(outcome: Exclude<Outcome, { state: 'parked' }>): Approval {
  const told = heard(outcome, 1);
  if ('refusal' in told) return { refusal: told.refusal, decided: false };
  const [answer] = told.answers;
  if (answer?.answer.length === 1 && answer.answer[0] === 'Approve') return 'approved';
  const words = told.words.trim() || answer?.answer.join(', ');
  const bare = !words || words.toLowerCase() === 'deny';
  return { refusal: bare ? 'The user denied this request.' : `The user denied this request: ${words}`, decided: true };
}

function answersAll(answers: unknown, questions: number): answers is Answer[] {
  return Array.isArray(answers) && answers.length === questions && answers.every(isAnswer);
}

function isAnswer(value: Partial<Answer> | null): boolean {
  return Array.isArray(value?.answer) && value.answer.every((label) => typeof label === 'string');
}

function wordsOf(item: Parameters<typeof textOf>[0] | undefined): string {
  return Array.isArray(item?.content) ? textOf(item) : '';
}

import { ownField } from '#core/item.ts';
import type { Answer, Question } from '#core/prompt.ts';

export type RefusalReason = 'not_a_list' | 'malformed_entry' | 'wrong_number' | 'unknown_question';

/**
 * The check of `metadata.answers` (decisions.md S1): exactly one entry per question, found by its exact text, in any
 * order; the k-th entry of a repeated text belongs to its k-th occurrence. Labels are not checked: the set stands.
 */
export function readStructured(
  questions: Question[],
  given: unknown,
): { answers: Answer[] } | { refused: RefusalReason | 'absent' } {
  if (given === undefined || given === null) return { refused: 'absent' };
  if (!Array.isArray(given)) return { refused: 'not_a_list' };
  const entries = given.map(readEntry);
  if (!entries.every((entry) => entry !== undefined)) return { refused: 'malformed_entry' };
  if (entries.length !== questions.length) return { refused: 'wrong_number' };

  const left = [...entries];
  const answers: Answer[] = [];
  for (const { question } of questions) {
    const at = left.findIndex((entry) => entry.question === question);
    const [entry] = at < 0 ? [] : left.splice(at, 1);
    if (!entry) return { refused: 'unknown_question' };
    answers.push(entry);
  }
  return { answers };
}

function readEntry(entry: unknown): Answer | undefined {
  const question = ownField(entry, 'question');
  const answer = ownField(entry, 'answer');
  if (typeof question !== 'string' || !Array.isArray(answer)) return undefined;
  return answer.every((label) => typeof label === 'string') ? { question, answer } : undefined;
}

import { ownField } from '#core/item.ts';
import type { Answer, Question } from '#core/prompt.ts';

export type RefusalReason = 'not_a_list' | 'malformed_entry' | 'wrong_number' | 'unknown_question';

/**
 * The check of `metadata.answers` (decisions.md S1): exactly one entry per question, found by its exact text, in any
 * order; the k-th entry of a repeated text belongs to its k-th occurrence. Labels are not checked: the set stands.
 * @returns why a set is refused (S2), or nothing where none is given
 */
export function readStructured(
  questions: Question[],
  given: unknown,
): { answers: Answer[]; refused?: never } | { answers?: never; refused?: RefusalReason } {
  if (given === undefined || given === null) return {};
  if (!Array.isArray(given)) return { refused: 'not_a_list' };
  const entries = given.map(readEntry).filter((entry) => entry !== undefined);
  if (entries.length !== given.length) return { refused: 'malformed_entry' };
  if (entries.length !== questions.length) return { refused: 'wrong_number' };

  const answers: Answer[] = [];
  for (const { question } of questions) {
    const at = entries.findIndex((entry) => entry.question === question);
    if (at < 0) return { refused: 'unknown_question' };
    answers.push(...entries.splice(at, 1));
  }
  return { answers };
}

function readEntry(entry: unknown): Answer | undefined {
  const question = ownField(entry, 'question');
  const answer = ownField(entry, 'answer');
  if (typeof question !== 'string' || !Array.isArray(answer)) return undefined;
  return answer.every((label) => typeof label === 'string') ? { question, answer } : undefined;
}

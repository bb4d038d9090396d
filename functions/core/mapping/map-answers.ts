import { type Item, metadataField, textOf } from '#core/item.ts';
import { type RefusalReason, readStructured } from '#core/mapping/structured.ts';
import { mapText, type TextPath } from '#core/mapping/text.ts';
import type { Answer, Kind, Question } from '#core/prompt.ts';

/** How an answer was arrived at. */
export type MappingPath = 'structured' | TextPath;

export type Mapping =
  | {
      /** In the prompt's order, each exactly `{ question, answer }`. */
      answers: Answer[];
      /** One for each question. */
      paths: MappingPath[];
      /** Why a structured set was not used as it stands (decisions.md S2). */
      refused?: RefusalReason;
    }
  | {
      /** There is nothing to hand back (decisions.md A7). */
      answers: undefined;
      paths: [];
      refused?: RefusalReason;
    };

/**
 * The answers that an item gives to a prompt: its structured set if that passes the check, else its text, which is mapped
 * against each question on its own (decisions.md S2, S3, M8).
 */
export function mapAnswers({ kind, questions }: { kind: Kind; questions: Question[] }, item: Item): Mapping {
  const { answers, refused: why } = readStructured(questions, metadataField(item, 'answers'));
  if (answers) return { answers, paths: answers.map(() => 'structured') };

  const refused = why && { refused: why };
  const text = textOf(item);
  if (kind !== 'approval' && text.trim() === '') return { answers: undefined, paths: [], ...refused };
  const mapped = questions.map((question) => ({ ...mapText(kind, question, text), question: question.question }));
  return {
    answers: mapped.map(({ question, answer }) => ({ question, answer })),
    paths: mapped.map(({ path }) => path),
    ...refused,
  };
}

import { type Item, metadataField, textOf } from '#core/item.ts';
import { type RefusalReason, readStructured } from '#core/mapping/structured.ts';
import { mapText, type TextPath } from '#core/mapping/text.ts';
import type { Answer, Kind, Question } from '#core/prompt.ts';

/** How an answer was arrived at, one for each question. */
export type MappingPath = 'structured' | TextPath;

export type Mapping = {
  /** In the prompt's order; `undefined` where the item has nothing to hand back (decisions.md A7). */
  answers: Answer[] | undefined;
  paths: MappingPath[];
  /** Why a structured set was not used as it stands (decisions.md S2). */
  refused?: RefusalReason;
};

/** The answers that an item gives to a prompt: its structured set if that passes the check, else its text (S3). */
export function mapAnswers({ kind, questions }: { kind: Kind; questions: Question[] }, item: Item): Mapping {
  const structured = readStructured(questions, metadataField(item, 'answers'));
  if ('answers' in structured) return { answers: structured.answers, paths: questions.map(() => 'structured') };

  const refused = structured.refused === 'absent' ? {} : { refused: structured.refused };
  const text = textOf(item);
  if (kind !== 'approval' && text.trim() === '') return { answers: undefined, paths: [], ...refused };
  const mapped = questions.map((question) => mapText(kind, question, text));
  return {
    answers: mapped.map(({ answer }, at) => ({ question: questions[at]?.question ?? '', answer })),
    paths: mapped.map(({ path }) => path),
    ...refused,
  };
}

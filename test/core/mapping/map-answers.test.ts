import { describe, expect, it } from 'vitest';
import { mapAnswers } from '#core/mapping/map-answers.ts';
import type { Kind, Question } from '#core/prompt.ts';
import { type MappingVector, readMappingVectors, saying } from '../read-vectors.ts';

const FILES = ['approval', 'single', 'multi', 'structured'];

describe.each(FILES)('%s vectors', (file) => {
  it.each(readMappingVectors(file).map((vector) => [vector.row, vector.name, vector] as const))(
    '%s: %s',
    (_row, _name, { prompt, item, want, paths, refused }: MappingVector) => {
      const answers = want?.map((answer, at) => ({ question: prompt.questions[at]?.question, answer }));
      const before = structuredClone({ prompt, item });
      expect(mapAnswers(prompt, item)).toStrictEqual({ answers, paths, ...(refused && { refused }) });
      expect({ prompt, item }).toStrictEqual(before);
    },
  );
});

it('every row of structured and text answers has its vectors', () => {
  const rows = new Set(FILES.flatMap(readMappingVectors).flatMap(({ row }) => row.split(' ')));
  const wanted = ['S1', 'S2', 'S3', 'S4', 'S5', 'M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M7', 'M8'];
  expect(wanted.filter((row) => !rows.has(row))).toEqual([]);
});

it('the names of vectors tell them apart', () => {
  const names = FILES.flatMap((file) => readMappingVectors(file).map(({ name }) => `${file}: ${name}`));
  expect(new Set(names).size).toBe(names.length);
});

describe('no text keeps the resolver busy', () => {
  const LONG = 300_000;
  const options = Array.from({ length: 50 }, (_, at) => ({ label: `option ${at}` }));
  const twenty: Question[] = Array.from({ length: 20 }, (_, at) => ({ question: `${at}`, options, multiSelect: true }));
  const approval: Question[] = [{ question: 'q', options: [{ label: 'Approve' }, { label: 'Deny' }] }];
  it.each<[string, Kind, Question[], string]>([
    ['a long blank within a text', 'approval', approval, `a${' '.repeat(LONG)}b`],
    ['a long blank after a token', 'approval', approval, `yes${' '.repeat(LONG)}`],
    ['many commas', 'ask_user_question', twenty, 'x,'.repeat(LONG / 2)],
    ['many numbers', 'ask_user_question', twenty, '51 '.repeat(LONG / 3)],
    ['many blanks and commas', 'ask_user_question', twenty, ' ,'.repeat(LONG / 2)],
    ['one long number', 'ask_user_question', twenty, '9'.repeat(LONG)],
  ])('%s', { timeout: 10_000 }, (_, kind, questions, text) => {
    expect(mapAnswers({ kind, questions }, saying(text)).paths).toHaveLength(questions.length);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapAnswers } from '#core/mapping/map-answers.ts';
import type { Question } from '#core/prompt.ts';
import { answersOf, saying } from '../read-vectors.ts';

const TOKENS = ['approve', 'approved', 'yes', 'y', 'ok', 'allow', '1'];
const APPROVAL = {
  kind: 'approval' as const,
  questions: [{ question: 'q', options: [{ label: 'Approve' }, { label: 'Deny' }] }],
};
const decision = (text: string) => answersOf(mapAnswers(APPROVAL, saying(text)))?.[0]?.[0];

const asciiBlank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\v', '\f', '\r'), maxLength: 4 });
const token = fc.constantFrom(...TOKENS);
/** The same letters, each in either case. */
const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''));
const anyText = fc.string({ unit: 'binary', maxLength: 12 });

/** Options that a raise lets through: labels neither blank nor repeated, whatever their case. */
const options = fc
  .uniqueArray(fc.oneof(fc.string({ maxLength: 6 }), anyText, fc.constantFrom('1', '2', '__proto__', 'a, b')), {
    minLength: 1,
    maxLength: 5,
    selector: (label) => label.toLowerCase(),
  })
  .map((labels) => labels.filter((label) => label.trim() !== '').map((label) => ({ label })))
  .filter((list) => list.length > 0);
const question = fc.record({ question: fc.string(), options, multiSelect: fc.boolean() }) as fc.Arbitrary<Question>;
const map = (asked: Question, text: string) =>
  mapAnswers({ kind: 'ask_user_question', questions: [asked] }, saying(text));

describe('an approval (I15)', () => {
  it('is given by each of the seven tokens, in any case, with ASCII white space around it', () => {
    const said = fc.tuple(asciiBlank, token.chain(anyCase), asciiBlank);
    fc.assert(
      fc.property(said, (parts) => {
        expect(decision(parts.join(''))).toBe('Approve');
      }),
    );
  });

  it('is given by nothing else', () => {
    const nearly = fc.tuple(anyText, token.chain(anyCase), anyText).map((parts) => parts.join(''));
    const approves = new RegExp(`^[ \\t\\n\\v\\f\\r]*(?:${TOKENS.join('|')})[ \\t\\n\\v\\f\\r]*$`, 'i');
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (text) => {
        expect(decision(text)).toBe(approves.test(text) ? 'Approve' : 'Deny');
      }),
      { numRuns: 1000 },
    );
  });

  it('is not given by a token with any one character more', () => {
    const code = fc.oneof(fc.integer({ min: 0, max: 0x2fff }), fc.integer({ min: 0x3000, max: 0x10ffff }));
    const blanks = [9, 10, 11, 12, 13, 32];
    const grows = (text: string) => TOKENS.includes(text.toLowerCase());
    fc.assert(
      fc.property(token, code, fc.nat(), (said, point, where) => {
        const at = where % (said.length + 1);
        const text = said.slice(0, at) + String.fromCodePoint(point) + said.slice(at);
        const outside = at === 0 || at === said.length;
        fc.pre(!grows(text) && !(outside && blanks.includes(point)));
        expect(decision(text)).toBe('Deny');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a text answer', () => {
  it('is verbatim where it is no option (M1)', () => {
    fc.assert(
      fc.property(question, anyText, (asked, text) => {
        const mapped = map(asked, text);
        fc.pre(mapped.paths[0] === 'other');
        expect(answersOf(mapped)).toEqual([[text]]);
      }),
    );
  });

  it('is one of the labels, each at most once, or of the text itself', () => {
    const said = fc.array(fc.oneof(fc.constantFrom('1', '2', '9', ',', ' ', '\n'), anyText)).map((all) => all.join(''));
    fc.assert(
      fc.property(question, said, (asked, text) => {
        const answer = answersOf(map(asked, text))?.[0] ?? [];
        const labels = asked.options?.map(({ label }) => label) ?? [];
        for (const label of answer) expect(labels.includes(label) || text.includes(label)).toBe(true);
        expect(new Set(answer).size).toBe(answer.length);
      }),
    );
  });

  it('of any label, in its exact spelling, is that label, unless it is a number of the list (M4)', () => {
    fc.assert(
      fc.property(question, fc.nat(), (asked, pick) => {
        const labels = asked.options?.map(({ label }) => label) ?? [];
        const label = labels[pick % labels.length] ?? '';
        const numbered = asked.multiSelect
          ? undefined
          : labels[labels.findIndex((_, at) => `${at + 1}` === label.trim())];
        expect(answersOf(map(asked, label))).toEqual([[numbered ?? label]]);
      }),
    );
  });

  it('to a free-text question is the text itself, whatever it is (M5)', () => {
    const free = fc.record({ question: fc.string(), multiSelect: fc.boolean() });
    fc.assert(
      fc.property(free, anyText, (asked, text) => {
        fc.pre(text.trim() !== '');
        expect(answersOf(map(asked, text))).toEqual([[text]]);
      }),
    );
  });
});

describe('a structured set (S1)', () => {
  const entries = fc.uniqueArray(fc.record({ question: anyText, answer: fc.array(anyText) }), {
    minLength: 1,
    selector: ({ question }) => question,
  });
  const shuffled = entries.chain((answers) =>
    fc.tuple(fc.constant(answers), fc.shuffledSubarray(answers, { minLength: answers.length })),
  );
  const promptOf = (answers: { question: string }[]) => ({
    kind: 'ask_user_question' as const,
    questions: answers.map(({ question }) => ({ question })),
  });

  it('stands as given, in the prompt’s order, in whatever order it comes', () => {
    fc.assert(
      fc.property(shuffled, ([answers, given]) => {
        expect(mapAnswers(promptOf(answers), saying('x', { answers: given })).answers).toEqual(answers);
      }),
    );
  });

  it('is refused when any one entry is missing', () => {
    fc.assert(
      fc.property(entries, fc.nat(), (answers, pick) => {
        const given = answers.toSpliced(pick % answers.length, 1);
        expect(mapAnswers(promptOf(answers), saying('x', { answers: given })).refused).toBe('wrong_number');
      }),
    );
  });
});

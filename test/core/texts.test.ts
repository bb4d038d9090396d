import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, Question } from '#core/prompt.ts';
import { auditText, fitsItem, promptText } from '#core/texts.ts';
import { readVectors } from './read-vectors.ts';

type Outcome = Parameters<typeof auditText>[0];
type Vectors = {
  prompt: { name: string; row: string; questions: Question[]; want: string }[];
  audit: { name: string; row: string; outcome: Outcome; want: string }[];
};
const vectors = readVectors<Vectors>('texts');

describe('promptText (P3)', () => {
  it.each(vectors.prompt.map((vector) => [vector.name, vector] as const))('%s', (_, { questions, want }) => {
    expect(promptText(questions)).toBe(want);
  });
});

describe('auditText (P4)', () => {
  it.each(vectors.audit.map((vector) => [vector.name, vector] as const))('%s', (_, { outcome, want }) => {
    expect(auditText(outcome)).toBe(want);
  });
});

/** Whatever any reader of a text may take for the end of a line: Python counts more of the controls than others. */
const LINE_ENDS = /\r\n|\p{Cc}|[\u2028\u2029]/u;
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('\n', '\r', '\u2028', '\u0085', '\v', '\u202e', '  2. ', '1', 'x', ' — ', '\u001c', '\t'))
    .map((parts) => parts.join('')),
);
const option = fc.record({ label: hostile, description: fc.option(hostile) }, { requiredKeys: ['label'] });

describe('an option cannot forge another one', () => {
  it('every option is one line, in its place, with its number', () => {
    const asked = fc.array(option, { maxLength: 12 });
    fc.assert(
      fc.property(asked, (options) => {
        const lines = promptText([{ question: 'Which?', options } as Question]).split(LINE_ENDS);
        expect(lines).toHaveLength(1 + options.length);
        lines.slice(1).forEach((line, at) => {
          expect(line.startsWith(`  ${at + 1}. `)).toBe(true);
        });
      }),
    );
  });

  it('no direction can be turned, and no line hidden', () => {
    fc.assert(
      fc.property(option, (only) => {
        const text = promptText([{ question: 'Which?', options: [only] } as Question]);
        expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|(?!\n)\p{Cc}/u);
      }),
    );
  });
});

it('an answer or a reason is one line of the thread', () => {
  const answers = fc.array(fc.record({ question: fc.string(), answer: fc.array(hostile) }), { minLength: 1 });
  fc.assert(
    fc.property(answers, hostile, (given: Answer[], reason) => {
      const answered = auditText({ state: 'answered', answers: given });
      expect(answered.split(LINE_ENDS)).toHaveLength(1);
      expect(answered.startsWith('✓ Answered: ')).toBe(true);
      const cancelled = auditText({ state: 'cancelled', reason });
      expect(cancelled.split(LINE_ENDS)).toHaveLength(1);
      expect(cancelled.startsWith('✗ Cancelled: ')).toBe(true);
    }),
  );
});

describe('an item of the thread holds 350 KB (interface.md 4)', () => {
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const answers = (text: string) => [{ question: 'q', answer: [text] }];

  it('an answer that fits is shown whole', () => {
    const text = 'x'.repeat(165 * 1024);
    expect(auditText({ state: 'answered', answers: answers(text) })).toBe(`✓ Answered: ${text}`);
  });
  it.each([
    ['plain', 'x'.repeat(199 * 1024)],
    ['hidden', '\u202e'.repeat(60 * 1024)],
    ['quoted', '"'.repeat(99 * 1024)],
    ['pictures', '😀'.repeat(49 * 1024)],
  ])('the largest answer (A9) leaves an audit item that can be posted: %s', (_, text) => {
    const shown = auditText({ state: 'answered', answers: answers(text) });
    expect(bytes(answers(text)) + bytes(shown)).toBeLessThanOrEqual(345 * 1024);
    expect(shown.isWellFormed()).toBe(true);
    expect(shown).toMatch(/^✓ Answered: /);
  });
  it('says how much of the text it leaves out, to the character', () => {
    const text = 'x'.repeat(199 * 1024);
    const shown = auditText({ state: 'answered', answers: answers(text) });
    const [, kept = '', left] =
      /^(.*)… \((\d+) more characters; the whole answer is in the item's metadata\)$/.exec(shown) ?? [];
    expect(kept.length + Number(left)).toBe(`✓ Answered: ${text}`.length);
    expect(kept.length).toBeGreaterThan(20_000);
  });
  it('a question whose visible escapes make it too large does not fit', () => {
    expect(fitsItem([{ question: '\u202e'.repeat(20_000) }])).toBe(true);
    expect(fitsItem([{ question: '\u202e'.repeat(40_000) }])).toBe(false);
  });
});

import { matchLabel, matchNumber } from '#core/mapping/option.ts';
import type { Kind, Option, Question } from '#core/prompt.ts';

export type TextPath = 'token' | 'deny_by_default' | 'number' | 'label' | 'other' | 'text';
export type MappedText = { answer: string[]; path: TextPath };

/** The only words that approve (contract; decisions.md M2). */
const APPROVAL_TOKENS = new Set(['approve', 'approved', 'yes', 'y', 'ok', 'allow', '1']);
const ASCII_WHITE_SPACE_AROUND = /^[\t\n\v\f\r ]+|[\t\n\v\f\r ]+$/g;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** A text answer to one question, by the prompt's kind and the question's variant. "Other" is verbatim (M1). */
export function mapText(kind: Kind, { options, multiSelect }: Question, text: string): MappedText {
  if (kind === 'approval') return mapApproval(text);
  if (kind === 'text' || !options || options.length === 0) return { answer: [text], path: 'text' };
  return multiSelect === true ? mapMultiSelect(options, text) : mapSingleSelect(options, text);
}

/** Deny on uncertainty, deliberately: the whole text is one of seven tokens, in plain ASCII, or it denies (M2). */
function mapApproval(text: string): MappedText {
  const token = text.replace(ASCII_WHITE_SPACE_AROUND, '');
  const approves = PRINTABLE_ASCII.test(token) && APPROVAL_TOKENS.has(token.toLowerCase());
  return approves ? { answer: ['Approve'], path: 'token' } : { answer: ['Deny'], path: 'deny_by_default' };
}

/** The number first, which is the list's own numbering; then a label (M4). */
function mapSingleSelect(options: Option[], text: string): MappedText {
  const numbered = matchNumber(options, text);
  if (numbered !== undefined) return { answer: [numbered], path: 'number' };
  const label = matchLabel(options, text);
  return label === undefined ? { answer: [text], path: 'other' } : { answer: [label], path: 'label' };
}

/** In the order of M6: one whole label, a list of numbers, a list by commas, the raw text. */
function mapMultiSelect(options: Option[], text: string): MappedText {
  const whole = matchLabel(options, text);
  if (whole !== undefined) return { answer: [whole], path: 'label' };

  const numbers = text.split(/[\s,]+/).filter((token) => token !== '');
  if (numbers.every(isNumber) && numbers.some((token) => matchNumber(options, token) !== undefined)) {
    return { answer: unique(numbers.map((token) => matchNumber(options, token) ?? token)), path: 'number' };
  }
  const tokens = text
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '');
  const labels = tokens.map((token) => matchNumber(options, token) ?? matchLabel(options, token));
  if (labels.some((label) => label !== undefined)) {
    return { answer: unique(tokens.map((token, at) => labels[at] ?? token)), path: 'label' };
  }
  return { answer: [text], path: 'other' };
}

function isNumber(token: string): boolean {
  return /^[1-9][0-9]*$/.test(token);
}

function unique(labels: string[]): string[] {
  return [...new Set(labels)];
}

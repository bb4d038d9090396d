import { indexOptions, isBareNumber, type OptionIndex } from '#core/mapping/option.ts';
import type { Kind, Question } from '#core/prompt.ts';

export type TextPath = 'token' | 'deny_by_default' | 'number' | 'label' | 'other' | 'text';
export type MappedText = { answer: string[]; path: TextPath };

/** The only words that approve (contract; decisions.md M2). */
const APPROVAL_TOKENS = new Set(['approve', 'approved', 'yes', 'y', 'ok', 'allow', '1']);
const NOT_PRINTABLE_ASCII = /[^\x21-\x7e]/;

/** A text answer to one question, by the prompt's kind and the question's variant (decisions.md M2, M5, M7). */
export function mapText(kind: Kind, { options, multiSelect }: Question, text: string): MappedText {
  if (kind === 'approval') return mapApproval(text);
  if (kind === 'text' || !options || options.length === 0) return { answer: [text], path: 'text' };
  const index = indexOptions(options);
  return multiSelect === true ? mapMultiSelect(index, text) : mapSingleSelect(index, text);
}

/**
 * Deny on uncertainty, deliberately: the whole text, but for ASCII white space around it, is one of seven tokens in plain
 * ASCII, or it denies (decisions.md M2). Cut into words, for a pattern that trims takes minutes over a long blank.
 */
function mapApproval(text: string): MappedText {
  const words = text.match(/[^\t\n\v\f\r ]+/g);
  const approves = words?.length === 1 && isApprovalToken(words[0]);
  return approves ? { answer: ['Approve'], path: 'token' } : { answer: ['Deny'], path: 'deny_by_default' };
}

/** Lower case alone would take the Kelvin sign for a k. */
function isApprovalToken(word: string): boolean {
  return !NOT_PRINTABLE_ASCII.test(word) && APPROVAL_TOKENS.has(word.toLowerCase());
}

/** The number first, which is the list's own numbering; then a label (M4). "Other" is verbatim (M1). */
function mapSingleSelect(options: OptionIndex, text: string): MappedText {
  const numbered = options.byNumber(text.trim());
  if (numbered !== undefined) return { answer: [numbered], path: 'number' };
  const label = options.byLabel(text);
  return label === undefined ? { answer: [text], path: 'other' } : { answer: [label], path: 'label' };
}

/** In the order of M6: one whole label, a list of numbers, a list by commas, the raw text. */
function mapMultiSelect(options: OptionIndex, text: string): MappedText {
  const whole = options.byLabel(text);
  if (whole !== undefined) return { answer: [whole], path: 'label' };
  const numbers = mapNumberList(options, text);
  if (numbers) return { answer: numbers, path: 'number' };
  const labels = mapCommaList(options, text);
  return labels ? { answer: labels, path: 'label' } : { answer: [text], path: 'other' };
}

function mapNumberList(options: OptionIndex, text: string): string[] | undefined {
  const tokens = text.split(/[\s,]/).filter((token) => token !== '');
  return tokens.every(isBareNumber) ? mapTokens(tokens, options.byNumber) : undefined;
}

function mapCommaList(options: OptionIndex, text: string): string[] | undefined {
  const tokens = text
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '');
  return mapTokens(tokens, (token) => options.byNumber(token) ?? options.byLabel(token));
}

/** As written, repeats dropped, what is no option kept verbatim; `undefined` where no token is an option. */
function mapTokens(tokens: string[], find: (token: string) => string | undefined): string[] | undefined {
  const found = tokens.map(find);
  if (found.every((label) => label === undefined)) return undefined;
  return [...new Set(tokens.map((token, at) => found[at] ?? token))];
}

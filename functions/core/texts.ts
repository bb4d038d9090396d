import { displayLine, displayText } from '#core/display.ts';
import type { Answer, Option, Question } from '#core/prompt.ts';
import { utf8Bytes } from '#core/utf8.ts';

/** The question and nothing else (contract; decisions.md P3): what it asks, and its options by number. */
export function promptText(questions: Question[]): string {
  return questions.map(questionText).join('\n\n');
}

/** The host takes items of 350 KB (interface.md 4); the rest of ours needs a few. */
const ITEM_LIMIT_BYTES = 340 * 1024;

/** Whether a prompt's question, as people see it, fits one item beside the original in its metadata. */
export function fitsItem(questions: Question[]): boolean {
  return jsonBytes(promptText(questions)) + jsonBytes(questions) <= ITEM_LIMIT_BYTES;
}

/**
 * What the audit item shows (decisions.md P4). The metadata holds the answers whole in any case; only where both would
 * pass the host's limit, and the item could never be posted, does the text say how many characters it leaves out.
 */
export function auditText(
  outcome: { state: 'answered'; answers: Answer[] } | { state: 'cancelled'; reason: string },
): string {
  if (outcome.state === 'cancelled') return `✗ Cancelled: ${displayLine(outcome.reason)}`;
  const text = `✓ Answered: ${outcome.answers.map(({ answer }) => answerText(answer)).join(' · ')}`;
  const room = ITEM_LIMIT_BYTES - jsonBytes(outcome.answers);
  if (jsonBytes(text) <= room) return text;
  // A character takes six bytes at most: an escape, or a visible escape's part.
  const shown = [...text.slice(0, room / 6 - 200)].slice(0, -1).join('');
  return `${shown}… (${text.length - shown.length} more characters; the whole answer is in the item's metadata)`;
}

function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

function questionText({ question, options }: Question): string {
  return [displayText(question), ...(options ?? []).map(optionLine)].join('\n');
}

function optionLine({ label, description }: Option, index: number): string {
  const line = `  ${index + 1}. ${displayLine(label)}`;
  return description ? `${line} — ${displayLine(description)}` : line;
}

function answerText(answer: string[]): string {
  return answer.length === 0 ? '(none)' : answer.map(displayLine).join(', ');
}

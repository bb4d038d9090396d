import { displayLine, displayText } from '#core/display.ts';
import type { Answer, Option, Question } from '#core/prompt.ts';

/** The question and nothing else (contract; decisions.md P3): what it asks, and its options by number. */
export function promptText(questions: Question[]): string {
  return questions.map(questionText).join('\n\n');
}

/** What the audit item shows (decisions.md P4). */
export function auditText(
  outcome: { state: 'answered'; answers: Answer[] } | { state: 'cancelled'; reason: string },
): string {
  if (outcome.state === 'cancelled') return `✗ Cancelled: ${displayLine(outcome.reason)}`;
  return `✓ Answered: ${outcome.answers.map(({ answer }) => answerText(answer)).join(' · ')}`;
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

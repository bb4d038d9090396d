import { parseArgs } from 'node:util';
import type { Item } from '#core/item.ts';
import { answerItem, type Composed, composeDecision, composeWords } from '../draft.ts';
import { type AskedPrompt, readPromptId } from '../read-prompt.ts';

export const HELP = `npm run answer lists the open questions and answers one with arrow keys. Flags, after --:
  --user NAME        answer as this user of the local stack (default: the first)
  --url URL          the thread page (default: that of the local stack), with
  --key KEY          the API key of the user that answers
  --json             print the open questions as JSON; with
  --prompt ID        answer this one instead,
  --answers JSON     with one list of texts for each question: '[["staging"],["Table","Chart"]]'
  --words TEXT       and words to the agent beside an approval or a denial
  --help             this text
`;

const FLAGS = {
  user: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean' },
  prompt: { type: 'string' },
  answers: { type: 'string' },
  words: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Wrong flags, or nothing to do; the message is one plain sentence. */
export class AnswerError extends Error {
  override name = 'AnswerError';
}

export type Flags = ReturnType<typeof readFlags>;

/** @throws AnswerError */
export function readFlags(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, strict: true }).values;
  } catch (error) {
    throw new AnswerError(`${(error as Error).message} npm run answer -- --help lists the flags.`);
  }
}

/**
 * What `--answers` and `--words` answer; in words alone where the item's prompt cannot be read.
 * @throws AnswerError
 */
export function composedOf(
  { item, prompt }: { item: Item; prompt: AskedPrompt | undefined },
  { answers, words }: Flags,
): Composed {
  const given = readLists(answers);
  const count = prompt?.questions.length ?? 1;
  const [first = []] = given;
  if (given.length !== count) throw new AnswerError(`--answers must hold ${count} lists, one for each question.`);
  if (!prompt) return { ok: true, item: composeWords(first.join(', '), readPromptId(item)) };
  if (prompt.kind !== 'approval') return answerItem(prompt, given);
  const [decision] = first;
  if (first.length !== 1 || (decision !== 'Approve' && decision !== 'Deny')) {
    throw new AnswerError('An approval is answered with [["Approve"]] or [["Deny"]].');
  }
  return composeDecision(prompt, decision, words ?? '');
}

function readLists(text = ''): string[][] {
  try {
    const value: unknown = JSON.parse(text);
    const isLists = Array.isArray(value) && value.every((list) => Array.isArray(list) && list.every(isText));
    if (isLists) return value;
  } catch {}
  throw new AnswerError('--answers must be JSON: a list of lists of texts.');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

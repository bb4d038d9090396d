import { checkbox, input, select } from '@inquirer/prompts';
import { displayLine, displayText } from '#core/display.ts';
import type { Question } from '#core/prompt.ts';
import {
  type Composed,
  composeAnswer,
  composeDecision,
  composeWords,
  emptyDraft,
  type QuestionDraft,
} from '../draft.ts';
import type { AskedPrompt } from '../read-prompt.ts';
import { TEXTS } from '../texts.ts';

/** Other streams than the terminal's own. */
export type TerminalContext = Parameters<typeof select>[1];

/** A list has always one entry under the cursor: this one, so that Enter alone decides nothing. */
const NOT_NOW = { name: TEXTS.notNow, value: 'not now' } as const;
const PAGE_SIZE = 15;

/** @returns the place of the chosen line, or `undefined` for none */
export async function choosePrompt(
  lines: string[],
  user_id: string,
  context?: TerminalContext,
): Promise<number | undefined> {
  const choices = [...lines.map((name, value) => ({ name, value })), { ...NOT_NOW, value: -1 }];
  const at = await select(
    { message: `${TEXTS.open(lines.length)} (${user_id})`, choices, pageSize: PAGE_SIZE },
    context,
  );
  return at < 0 ? undefined : at;
}

/**
 * Asks all questions of a prompt with arrow keys.
 * @returns `undefined` where the person leaves it for now
 * @throws ExitPromptError at Ctrl-C
 */
export async function askInTerminal(prompt: AskedPrompt, context?: TerminalContext): Promise<Composed | undefined> {
  if (prompt.kind === 'approval') return askDecision(prompt, context);
  const drafts: QuestionDraft[] = [];
  for (const question of prompt.questions) {
    const draft = await askQuestion(question, context);
    if (!draft) return undefined;
    drafts.push(draft);
  }
  return composeAnswer(prompt, drafts);
}

/** For a prompt whose text alone can be shown. @throws ExitPromptError at Ctrl-C */
export async function askForWords(prompt_id: string | undefined, context?: TerminalContext): Promise<Composed> {
  const { words } = await askWords(TEXTS.answer, context);
  return { ok: true, item: composeWords(words, prompt_id) };
}

async function askDecision(prompt: AskedPrompt, context?: TerminalContext): Promise<Composed | undefined> {
  const choices = [NOT_NOW, { name: TEXTS.approve, value: 'Approve' }, { name: TEXTS.deny, value: 'Deny' }] as const;
  const decision = await select({ message: TEXTS.asksApproval, choices }, context);
  if (decision === 'not now') return undefined;
  return composeDecision(prompt, decision, await input({ message: TEXTS.words }, context));
}

function askQuestion(question: Question, context?: TerminalContext): Promise<QuestionDraft | undefined> {
  if ((question.options ?? []).length === 0) return askWords(displayText(question.question), context);
  return question.multiSelect === true ? askSeveral(question, context) : askOne(question, context);
}

async function askWords(message: string, context?: TerminalContext): Promise<QuestionDraft> {
  const words = await input({ message, validate: (text) => text.trim() !== '' || TEXTS.unanswered }, context);
  return { ...emptyDraft(), words };
}

async function askOne(question: Question, context?: TerminalContext): Promise<QuestionDraft | undefined> {
  const choices = [NOT_NOW, ...optionChoices(question), { name: TEXTS.other, value: 'other' as const }];
  const message = displayText(question.question);
  const choice = await select<number | 'other' | 'not now'>({ message, choices, pageSize: PAGE_SIZE }, context);
  if (choice === 'not now') return undefined;
  if (choice === 'other') return { ...(await askWords(TEXTS.otherText, context)), other: true };
  return { ...emptyDraft(), chosen: new Set([choice]) };
}

async function askSeveral(question: Question, context?: TerminalContext): Promise<QuestionDraft> {
  const choices = [
    ...optionChoices(question),
    { name: TEXTS.other, value: 'other' as const },
    { name: TEXTS.none, value: 'none' as const },
  ];
  const chosen = await checkbox<number | 'other' | 'none'>(
    {
      message: displayText(question.question),
      choices,
      pageSize: PAGE_SIZE,
      validate: (entries) => {
        if (entries.length === 0) return TEXTS.unanswered;
        return entries.length === 1 || entries.every(({ value }) => value !== 'none') || TEXTS.noneAlone;
      },
    },
    context,
  );
  const words = chosen.includes('other') ? (await askWords(TEXTS.otherText, context)).words : '';
  return {
    chosen: new Set(chosen.filter((choice) => typeof choice === 'number')),
    other: chosen.includes('other'),
    none: chosen.includes('none'),
    words,
  };
}

function optionChoices({ options }: Question) {
  return (options ?? []).map(({ label, description }, value) => ({
    name: displayLine(label),
    value,
    ...(description && { description: displayLine(description) }),
  }));
}

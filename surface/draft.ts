import { readStructured } from '#core/mapping/structured.ts';
import type { Answer, Question } from '#core/prompt.ts';
import { ANSWERS_LIMIT_BYTES } from '#core/prompting/slot.ts';
import { utf8Bytes } from '#core/utf8.ts';
import type { AskedPrompt } from './read-prompt.ts';

/** What a person has chosen and typed for one question so far. Nothing is chosen before they choose. */
export type QuestionDraft = {
  /** Places in the list of options. */
  chosen: ReadonlySet<number>;
  /** "Other" is chosen; its text is `words`. */
  other: boolean;
  /** Of several: deliberately none of them, which is not the same as not answered yet. */
  none: boolean;
  words: string;
};

/** A thread item as a person posts it (contract, "Structured answers"). */
export type AnswerItem = {
  content: { type: 'text'; text: string }[];
  metadata: { answers?: Answer[]; prompt_id?: string };
};

export type Composed =
  | { ok: true; item: AnswerItem }
  /** The places of the questions without an answer. */
  | { ok: false; unanswered: number[] }
  | { ok: false; tooLong: true };

/** The summary is for people reading the thread; answers and summary must fit one item of 350 KB. */
const SUMMARY_LIMIT = 10_000;

export function emptyDraft(): QuestionDraft {
  return { chosen: new Set(), other: false, none: false, words: '' };
}

/** The draft after a click on an option, on "Other" or on "None of these". */
export function choose(question: Question, draft: QuestionDraft, choice: number | 'other' | 'none'): QuestionDraft {
  const { words } = draft;
  if (choice === 'none') return { ...emptyDraft(), none: !draft.none, words };
  if (question.multiSelect !== true) {
    return { ...emptyDraft(), chosen: new Set(choice === 'other' ? [] : [choice]), other: choice === 'other', words };
  }
  if (choice === 'other') return { ...draft, other: !draft.other, none: false };
  const toggled = new Set(draft.chosen);
  if (!toggled.delete(choice)) toggled.add(choice);
  return { ...draft, chosen: toggled, none: false };
}

/** @returns `undefined` where the question is not answered yet */
export function answerOf({ options }: Question, { chosen, other, none, words }: QuestionDraft): string[] | undefined {
  const labels = (options ?? []).map(({ label }) => label);
  const typed = words.trim() === '' ? [] : [words];
  if (labels.length === 0) return typed.length > 0 ? typed : undefined;
  if (none) return [];
  if (other && typed.length === 0) return undefined;
  const answer = [...labels.filter((_, at) => chosen.has(at)), ...(other ? typed : [])];
  return answer.length > 0 ? answer : undefined;
}

/** The item that answers a form of questions, checked as the resolver checks it. */
export function composeAnswer(prompt: AskedPrompt, drafts: readonly QuestionDraft[]): Composed {
  const given = prompt.questions.map((question, at) => answerOf(question, drafts[at] ?? emptyDraft()));
  const unanswered = given.flatMap((answer, at) => (answer ? [] : [at]));
  return unanswered.length > 0 ? { ok: false, unanswered } : answerItem(prompt, given as string[][]);
}

/**
 * The item that decides an approval. The words follow the decision: should its metadata get lost, the text of an approval
 * with words denies, and that of a denial never approves, whatever the words are (decisions.md M2).
 */
export function composeDecision(prompt: AskedPrompt, decision: 'Approve' | 'Deny', words: string): Composed {
  return answerItem(prompt, [[decision]], words.trim() && `${decision}: ${words}`);
}

/** An item in words alone, for a prompt that cannot be shown as a form. */
export function composeWords(words: string, prompt_id?: string): AnswerItem {
  return { content: [{ type: 'text', text: words }], metadata: { ...(prompt_id !== undefined && { prompt_id }) } };
}

/** @param given one list for each question, in the prompt's order */
export function answerItem({ prompt_id, questions }: AskedPrompt, given: string[][], summary?: string): Composed {
  const entries = questions.map(({ question }, at) => ({ question, answer: given[at] }));
  const { answers } = readStructured(questions, entries);
  if (!answers) return { ok: false, unanswered: given.flatMap((answer, at) => (answer ? [] : [at])) };
  if (utf8Bytes(JSON.stringify(answers)) > ANSWERS_LIMIT_BYTES) return { ok: false, tooLong: true };
  const text = shortened(summary || summaryOf(answers));
  return { ok: true, item: { content: [{ type: 'text', text }], metadata: { answers, prompt_id } } };
}

/** As the audit item shows it (decisions.md P4), but in the person's own characters. */
export function summaryOf(answers: Answer[]): string {
  return answers.map(({ answer }) => (answer.length === 0 ? '(none)' : answer.join(', '))).join(' · ');
}

function shortened(text: string): string {
  return text.length <= SUMMARY_LIMIT ? text : `${text.slice(0, SUMMARY_LIMIT).toWellFormed()}…`;
}

/** What is chosen and typed, for people: a draft whose question is over is shown, not sent. */
export function draftText({ questions }: AskedPrompt, drafts: readonly QuestionDraft[], words: string): string {
  const parts = questions.map(({ options }, at) => {
    const draft = drafts[at] ?? emptyDraft();
    const chosen = (options ?? []).map(({ label }) => label).filter((_, place) => draft.chosen.has(place));
    return [...chosen, draft.words].filter((text) => text.trim() !== '').join(', ');
  });
  return [...parts, words.trim()].filter((part) => part !== '').join('\n');
}

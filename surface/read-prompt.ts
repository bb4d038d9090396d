import { type Item, metadataField, ownField } from '#core/item.ts';
import type { Kind, Option, Question } from '#core/prompt.ts';

/** What a person is asked, as the item's `metadata.prompt` says it. */
export type AskedPrompt = { prompt_id: string; kind: Kind; questions: Question[]; allowed_user_ids?: string[] };

const KINDS: readonly unknown[] = ['approval', 'ask_user_question', 'text'] satisfies Kind[];

/**
 * The prompt of a `pending_prompt` item. Fields that nobody here knows are no fault; a kind that nobody here knows, or a
 * prompt that a button could misrepresent, is. By hand, because a schema library would be half of the element's size, and
 * would try on every page whether it may compile code.
 * @returns `undefined` where people are better shown the item's text and answer in words
 */
export function readPrompt(item: Pick<Item, 'metadata'>): AskedPrompt | undefined {
  const prompt = metadataField(item as Item, 'prompt');
  const [prompt_id, kind, questions, allowed] = ['prompt_id', 'kind', 'questions', 'allowed_user_ids'].map((name) =>
    ownField(prompt, name),
  );
  const isOpen =
    metadataField(item as Item, 'type') === 'pending_prompt' && isOpenState(ownField(prompt, 'prompt_state'));
  if (!isOpen || !isWritten(prompt_id) || !KINDS.includes(kind)) return undefined;
  if (!Array.isArray(questions) || questions.length === 0 || !questions.every(isQuestion)) return undefined;
  if (!isOfKind(kind as Kind, questions)) return undefined;
  const allowed_user_ids = Array.isArray(allowed) && { allowed_user_ids: allowed.filter(isWritten) };
  return { prompt_id, kind: kind as Kind, questions, ...allowed_user_ids };
}

/** The id alone, also of a prompt that cannot be shown: an answer in words still names what it answers. */
export function readPromptId(item: Pick<Item, 'metadata'>): string | undefined {
  const prompt_id = ownField(metadataField(item as Item, 'prompt'), 'prompt_id');
  return isWritten(prompt_id) ? prompt_id : undefined;
}

function isOpenState(state: unknown): boolean {
  return state === undefined || state === 'pending';
}

/** An approval whose buttons would not be Approve and Deny is none (decisions.md P2). */
function isOfKind(kind: Kind, questions: Question[]): boolean {
  if (kind === 'ask_user_question') return true;
  const labels = JSON.stringify((questions[0]?.options ?? []).map(({ label }) => label));
  return questions.length === 1 && labels === (kind === 'approval' ? '["Approve","Deny"]' : '[]');
}

function isQuestion(value: unknown): value is Question {
  const options = ownField(value, 'options') ?? [];
  return (
    isWritten(ownField(value, 'question')) &&
    ['undefined', 'boolean'].includes(typeof (ownField(value, 'multiSelect') ?? undefined)) &&
    Array.isArray(options) &&
    options.every(isOption)
  );
}

function isOption(value: unknown): value is Option {
  return isWritten(ownField(value, 'label')) && typeof (ownField(value, 'description') ?? '') === 'string';
}

function isWritten(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

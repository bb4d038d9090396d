import { type Item, metadataField, ownField } from '#core/item.ts';
import type { PostingPrompt, SettledPrompt } from '#core/prompt.ts';
import { at, OWN_USER } from '../support/given.ts';
import type { Configuration, ItemTemplate } from './configuration.ts';

/** What the actors of the model say: requests, items, and what is posted. All of it real shapes. */
const QUESTIONS = [{ question: 'Which one?' }];

/** The half of a prompt id that its request decides, and the half that its attempt decides (P1). */
const requestKey = (request: number) => String(request).padStart(16, '0');
const promptId = (request: number, attempt: number): string =>
  `prm_${String(attempt).padStart(10, '0')}${requestKey(request)}`;
export const requestOf = (prompt_id: string): number => Number(prompt_id.slice(-16)) % 10;

/** @param attempt counts from 0; without the defence, every attempt is a request of its own */
export function freshPrompt({ allowedUsers }: Configuration, request: number, attempt: number, idempotent: boolean) {
  return {
    prompt_id: idempotent ? promptId(request, attempt) : promptId(request + 10 * (attempt + 1), attempt),
    kind: 'text' as const,
    questions: QUESTIONS,
    request_id: `req_${request}`,
    ...(allowedUsers && { allowed_user_ids: allowedUsers }),
    state: 'posting' as const,
  };
}

const itemId = (position: number): string => `itm_${position}`;
export const positionOf = (item_id: string): number => Number(item_id.slice('itm_'.length));

const stamped = (position: number) => ({ id: itemId(position), created_at: at(position + 1) });

export function userItem(template: ItemTemplate, thread: readonly Item[]): Item {
  const { text, names, repliesTo, user = 'usr_anna' } = template;
  const question = thread.find((item) => repliesTo !== undefined && isQuestionOf(item, repliesTo));
  return {
    ...stamped(thread.length),
    user_id: user,
    content: [{ type: 'text', text }],
    ...(names !== undefined && { metadata: { prompt_id: questionOf(thread, names) } }),
    ...(question && { parent_id: question.id }),
  };
}

/** The id of a request's prompt, once its question is on the thread. */
export function questionOf(thread: readonly Item[], request: number): string | undefined {
  const question = thread.find((item) => isQuestionOf(item, request));
  return question && promptOf(question);
}

const isQuestionOf = (item: Item, request: number): boolean =>
  typeOf(item) === 'pending_prompt' && requestOf(promptOf(item) ?? '') === request;

export const typeOf = (item: Item): unknown => metadataField(item, 'type');
export const promptOf = (item: Item): string | undefined =>
  ownField(metadataField(item, 'prompt'), 'prompt_id') as string | undefined;

/** settlement/question.ts, questionItem, and settlement/audit.ts, auditItem; stamped when the host carries it out. */
export function ownItem(prompt: PostingPrompt | SettledPrompt): Omit<Item, 'id' | 'created_at'> {
  const { prompt_id, kind, questions, request_id, allowed_user_ids } = prompt;
  if (prompt.state === 'posting') {
    const guard = { request_id, ...(allowed_user_ids && { allowed_user_ids }) };
    return ofType('pending_prompt', { prompt_id, kind, prompt_state: 'pending', questions, ...guard });
  }
  const outcome = prompt.state === 'answered' ? { answers: prompt.answers } : { reason: prompt.reason };
  return ofType('pending_prompt_resolved', { prompt_id, kind, prompt_state: prompt.state, ...outcome });
}

export const landed = (item: Omit<Item, 'id' | 'created_at'>, position: number): Item => ({
  ...(item as Item),
  ...stamped(position),
});

const ofType = (type: string, prompt: Record<string, unknown>) => ({
  user_id: OWN_USER,
  content: [{ type: 'text', text: type }],
  metadata: { type, prompt },
});

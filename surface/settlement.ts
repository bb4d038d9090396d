import { type Item, metadataField, ownField } from '#core/item.ts';
import type { Answer, OpenPrompt } from '#core/prompt.ts';
import { decide, type Receipt } from '#core/prompting/decide.ts';
import { readPrompt, readPromptId } from './read-prompt.ts';

/** How a prompt ended, as the thread shows it; `at` is the host's stamp. */
export type Settlement =
  | { state: 'answered'; answers: Answer[]; at: string; by?: AnsweredBy }
  | { state: 'cancelled'; reason: string; at: string }
  /** An item that answers it is on the thread; the audit item, which follows the agent's being told, is not yet. */
  | { state: 'answering'; answers: Answer[]; at: string; by: AnsweredBy }
  /** A later question is there, so this one is over, and its audit item is still owed (decisions.md P9). */
  | { state: 'over'; at: string };
export type AnsweredBy = { user_id: string; item_id: string };

/**
 * What became of the prompt that `asked` posted.
 * @param items of its thread, in the thread's order
 * @returns `undefined` while it is open
 */
export function settlementOf(asked: Item, items: readonly Item[]): Settlement | undefined {
  const later = items.slice(items.findIndex(({ id }) => id === asked.id) + 1);
  const audit = later.find((item) => isAuditOf(asked, item));
  const answering = answersOnThread(asked, items, later);
  if (audit) return readAudit(audit, answering);
  const [first] = answering;
  if (first) {
    return { state: 'answering', answers: first.answers, at: first.item.created_at, by: whoPosted(first.item) };
  }
  const next = later.find((item) => item.user_id === asked.user_id && typeOf(item) === 'pending_prompt');
  return next && { state: 'over', at: next.created_at };
}

export function typeOf(item: Item): unknown {
  return metadataField(item, 'type') ?? undefined;
}

/** Anybody may post such an item; only the asker's own says how its prompt ended. */
function isAuditOf(asked: Item, item: Item): boolean {
  const prompt_id = readPromptId(asked);
  return (
    prompt_id !== undefined &&
    item.user_id === asked.user_id &&
    typeOf(item) === 'pending_prompt_resolved' &&
    readPromptId(item) === prompt_id
  );
}

function readAudit(audit: Item, answering: { item: Item; answers: Answer[] }[]): Settlement {
  const prompt = metadataField(audit, 'prompt');
  const [answers, reason] = [ownField(prompt, 'answers'), ownField(prompt, 'reason')];
  const at = audit.created_at;
  if (!Array.isArray(answers) || !answers.every(isAnswer)) {
    return { state: 'cancelled', reason: typeof reason === 'string' ? reason : 'cancelled', at };
  }
  // The audit item does not say who; of all that could have answered, it is the first whose answers are these.
  const same = answering.find((one) => JSON.stringify(one.answers) === JSON.stringify(answers.map(bareAnswer)));
  return { state: 'answered', answers, at, ...(same && { by: whoPosted(same.item) }) };
}

/** The items that the resolver would take for the answer, by its own rules, were each of them the first. */
function answersOnThread(
  asked: Item,
  items: readonly Item[],
  later: readonly Item[],
): { item: Item; answers: Answer[] }[] {
  const prompt = readPrompt(asked);
  if (!prompt) return [];
  const active: OpenPrompt = {
    ...prompt,
    state: 'open',
    request_id: '',
    raised_at: 0,
    item_id: asked.id,
    posted_at: asked.created_at,
  };
  const state = { slot: { rev: 0, active, outbox: [] }, receipts: promptReceipts(items), ownUserId: asked.user_id };
  return later.flatMap((item) => {
    const decision = decide(state, item);
    return decision.do === 'settle' ? [{ item, answers: decision.answers }] : [];
  });
}

/** An item may name a prompt by replying to its item. */
function promptReceipts(items: readonly Item[]): ReadonlyMap<string, Receipt> {
  return new Map(
    items.flatMap((item) => {
      const prompt_id = typeOf(item) === 'pending_prompt' ? readPromptId(item) : undefined;
      return prompt_id === undefined ? [] : [[item.id, { use: 'prompt', prompt_id }]];
    }),
  );
}

function whoPosted({ id, user_id }: Item): AnsweredBy {
  return { user_id, item_id: id };
}

function isAnswer(value: unknown): value is Answer {
  const answer = ownField(value, 'answer');
  return (
    typeof ownField(value, 'question') === 'string' &&
    Array.isArray(answer) &&
    answer.every((label) => typeof label === 'string')
  );
}

function bareAnswer({ question, answer }: Answer): Answer {
  return { question, answer };
}

import type { Item } from '#core/item.ts';
import { type Settlement, settlementOf, typeOf } from './settlement.ts';

/** What a reader of a thread sees of its items, in the thread's order. */
export type ThreadEntry =
  | { is: 'prompt'; item: Item; settled: Settlement | undefined }
  /** What the agent did between: tool calls and the like, one after the other. */
  | { is: 'steps'; items: Item[] }
  | { is: 'message'; item: Item };

/**
 * @param runner_user_id whose questions are the agent's; where it is not known, anybody's are
 */
export function readThread(items: readonly Item[], runner_user_id?: string): ThreadEntry[] {
  const isAgents = ({ user_id }: Item) => runner_user_id === undefined || user_id === runner_user_id;
  const entries: ThreadEntry[] = [];
  for (const item of items) {
    const type = typeOf(item);
    const last = entries.at(-1);
    if (type === 'pending_prompt' && isAgents(item)) {
      entries.push({ is: 'prompt', item, settled: settlementOf(item, items) });
    } else if (type === 'pending_prompt_resolved' && isAgents(item)) {
      // Shown where the question stands.
    } else if (type === undefined || !isAgents(item)) entries.push({ is: 'message', item });
    else if (last?.is === 'steps') last.items.push(item);
    else entries.push({ is: 'steps', items: [item] });
  }
  return entries;
}

/** The question that waits for an answer: of several without an outcome only the last is open. */
export function openPromptOf(entries: readonly ThreadEntry[]): Item | undefined {
  const last = entries.findLast((entry) => entry.is === 'prompt');
  return last && !last.settled ? last.item : undefined;
}

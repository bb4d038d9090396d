import type { Answer } from '#core/prompt.ts';
import type { Settlement } from './settlement.ts';

/** What a surface posted: the item's id where the host told it, and its answers where it was no answer in words. */
export type PostedAnswer = { id?: string | undefined; answers?: Answer[] | undefined };

/** Whether it was this post that settled the prompt; what the thread does not tell is judged by the answers. */
export function isFrom({ id, answers }: PostedAnswer, settlement: Settlement): boolean {
  if (!('answers' in settlement)) return settlement.state === 'over';
  if (settlement.by && id !== undefined) return settlement.by.item_id === id;
  return answers === undefined || JSON.stringify(settlement.answers) === JSON.stringify(answers);
}

import { type Item, metadataField, ownField } from '#core/item.ts';
import { OWN_USER } from '../support/given.ts';
import type { Outside } from './outside.ts';

const idIn = (value: unknown) => String(ownField(value, 'prompt_id'));

/** What must hold on a thread that has come to rest, by DESIGN's numbers; empty where all do. */
export function brokenInvariants(outside: Outside, delivered: Item[], open: string | undefined): string[] {
  const broken: string[] = [];
  const own = outside.host.items(outside.thread).filter(({ user_id }) => user_id === OWN_USER);
  const typed = (type: string) => own.filter((item) => metadataField(item, 'type') === type);
  // A runner drops repeats by message_id; a repeat that tells something else is a second outcome.
  const told = new Map(outside.sent.map((message) => [JSON.stringify(message), message]));
  const outcomes = [...told.values()].filter((message) => message.type !== 'next_turn');

  for (const question of typed('pending_prompt')) {
    const prompt_id = idIn(metadataField(question, 'prompt'));
    const audits = typed('pending_prompt_resolved').filter((item) => idIn(metadataField(item, 'prompt')) === prompt_id);
    const ends = outcomes.filter(({ prompt }) => prompt.prompt_id === prompt_id);
    const expected = prompt_id === open ? 0 : 1;
    if (ends.length !== expected) broken.push(`I1, I10: ${prompt_id} has ${ends.length} outcomes`);
    if (audits.length !== expected) broken.push(`I2, I10: ${prompt_id} has ${audits.length} audit items`);
    const [audit, end] = [audits[0], ends[0]];
    if (audit && end && ownField(metadataField(audit, 'prompt'), 'prompt_state') !== end.prompt.prompt_state) {
      broken.push(`I1: audit and agent disagree on ${prompt_id}`);
    }
  }
  for (const item of delivered) {
    const uses = [...told.values()].filter((message) => 'item' in message && message.item.id === item.id);
    if (uses.length !== 1) broken.push(`I5, I10: ${item.id} was used ${uses.length} times`);
  }
  return broken;
}

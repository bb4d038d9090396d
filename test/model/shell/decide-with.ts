import type { Item } from '#core/item.ts';
import type { StoredThread } from '#core/ports.ts';
import { type Decision, decide } from '#core/prompting/decide.ts';
import type { Slot } from '#core/prompting/slot.ts';
import { OWN_USER } from '../../support/given.ts';
import { ALL_ON, type Defences } from '../defences.ts';

/** The project's decide(). A missing defence hides from it what that defence looks at; with all on it sees all. */
export function decideWith(on: Defences, { slot, receipts }: StoredThread, item: Item): Decision {
  if (on === ALL_ON) return decide({ slot, receipts, ownUserId: OWN_USER }, item);
  const isOwn = item.user_id === OWN_USER;
  const seen = { slot: slotAsSeen(on, slot), receipts: on.receipt ? receipts : new Map(), ownUserId: OWN_USER };
  if (isOwn && !on.ignoreOwnItems) return decide({ ...seen, receipts: new Map(), ownUserId: 'usr_nobody' }, bare(item));
  return decide(seen, isOwn || on.staleNames ? item : bare(item));
}

function slotAsSeen(on: Defences, slot: Slot): Slot {
  const { active, ...rest } = slot;
  const outbox = on.answeredBy ? slot.outbox : slot.outbox.filter((prompt) => prompt.state !== 'answered');
  if (!active || (active.state === 'posting' && !on.waitWhilePosting)) return { ...rest, outbox };
  const seen = { ...active };
  if (seen.state === 'open' && !on.orderFence) seen.posted_at = '1970-01-01T00:00:00Z';
  if (!on.allowedUsers) delete seen.allowed_user_ids;
  return { ...rest, active: seen, outbox };
}

/** Without what it says of a prompt. */
function bare({ metadata, parent_id, ...item }: Item): Item {
  return item;
}

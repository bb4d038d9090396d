import { isLater } from '#core/instant.ts';
import { type Item, metadataField } from '#core/item.ts';
import type { Ports } from '#core/ports.ts';
import { endReplay } from '#core/prompting/adopt.ts';
import type { Thread } from '#core/thread.ts';
import { changeSlot } from '#settlement/change-slot.ts';

/**
 * Puts the user items after an adopted question on the queue again, in the thread's order (decisions.md P10): the
 * resolver decides about them as about any other. An item that was heard before has its receipt and does nothing new.
 */
export async function replayItems(ports: Ports, thread: Thread): Promise<void> {
  const { active } = (await ports.store.read(thread)).slot;
  if (active?.state !== 'open' || !active.replay) return;
  const ownUserId = await ports.threadHost.ownUserId();
  for (let since = active.posted_at; ; ) {
    const items = await ports.threadHost.list(thread, { created_since: since, ascending: true });
    for (const item of items.filter((item) => isUserItem(item, ownUserId))) {
      await ports.threadItems.send(thread, item.id);
    }
    const newest = items.at(-1)?.created_at;
    if (newest === undefined || !isLater(newest, since)) break;
    since = newest;
  }
  await changeSlot(ports, thread, (slot) => endReplay(slot, active.prompt_id));
}

function isUserItem(item: Item, ownUserId: string): boolean {
  const type = metadataField(item, 'type');
  return item.user_id !== ownUserId && (type === undefined || type === null);
}

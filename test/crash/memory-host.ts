import { isLater } from '#core/instant.ts';
import { type Item, metadataField, ownField } from '#core/item.ts';
import type { ListRange, NewItem, OwnItemType, ThreadHost } from '#core/ports.ts';
import { type Thread, threadName } from '#core/thread.ts';
import { at, OWN_USER } from '../support/given.ts';

/** The thread host as a port (interface.md 4): stamps strictly increasing, no idempotency key, whole threads as one page. */
export class MemoryHost implements ThreadHost {
  #stamp = 0;
  readonly #threads = new Map<string, Item[]>();

  items(thread: Thread): Item[] {
    const name = threadName(thread);
    const items = this.#threads.get(name) ?? [];
    this.#threads.set(name, items);
    return items;
  }
  put(thread: Thread, user_id: string, fields: Partial<Item>): Item {
    const stamp = ++this.#stamp;
    const item = { id: `itm_${stamp}`, user_id, created_at: at(stamp), content: [], ...fields };
    this.items(thread).push(item);
    return item;
  }
  async ownUserId() {
    return OWN_USER;
  }
  async post(thread: Thread, item: NewItem) {
    return { outcome: 'posted', item: this.put(thread, OWN_USER, item) } as const;
  }
  async get(thread: Thread, item_id: string) {
    return this.items(thread).find(({ id }) => id === item_id);
  }
  async list(thread: Thread, { created_since, created_before, ascending }: ListRange) {
    const within = this.items(thread).filter(
      ({ created_at }) =>
        (created_since === undefined || isLater(created_at, created_since)) &&
        (created_before === undefined || isLater(created_before, created_at)),
    );
    return ascending ? within : within.reverse();
  }
  async findOwn(thread: Thread, type: OwnItemType, prompt_id: string, _since: string) {
    return this.items(thread).find(
      (item) =>
        item.user_id === OWN_USER &&
        metadataField(item, 'type') === type &&
        ownField(metadataField(item, 'prompt'), 'prompt_id') === prompt_id,
    );
  }
}

import { parseInstant } from '#core/instant.ts';
import type { Item } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import type { HostClient, NewPost } from './host-client.ts';

/** An item may become visible a little after one that is stamped later. */
const OVERLAP_MS = 5000;

/** The items of one thread, in its order, as far as they were read. */
export class ThreadFeed {
  readonly thread: Thread;
  items: readonly Item[] = [];
  readonly #host: HostClient;
  /** Posts whose outcome is not known, with what the thread held before. */
  readonly #unknown = new Map<NewPost, ReadonlySet<string>>();

  constructor(host: HostClient, thread: Thread) {
    this.#host = host;
    this.thread = thread;
  }

  /** Reads what is new, page by page: the host's page size is its own, so only an empty page is the end. */
  async refresh(): Promise<void> {
    let since = overlapping(this.items.at(-1));
    for (;;) {
      const page = await this.#host.list(this.thread, since);
      const last = page.at(-1)?.created_at;
      // A host that takes the bound for inclusive would give its last item for ever.
      if (last === undefined || last === since) return;
      this.#add(page);
      since = last;
    }
  }

  /**
   * Posts an item. Handed over again after a failure, the same object is looked for first: the host has no idempotency
   * key, and a post that seemed to fail may have been carried out.
   */
  async post(post: NewPost, user_id: string): Promise<Item> {
    const before = this.#unknown.get(post);
    if (before) await this.refresh();
    const landed = before && this.items.find((item) => !before.has(item.id) && isSame(item, post, user_id));
    if (!before) this.#unknown.set(post, new Set(this.items.map(({ id }) => id)));
    const item = landed ?? (await this.#host.post(this.thread, post));
    this.#unknown.delete(post);
    this.#add([item]);
    return item;
  }

  #add(page: readonly Item[]): void {
    const known = new Set(this.items.map(({ id }) => id));
    const fresh = page.filter(({ id }) => !known.has(id));
    if (fresh.length > 0) this.items = [...this.items, ...fresh].sort(inOrder);
  }
}

function overlapping(item: Item | undefined): string | undefined {
  const at = item && parseInstant(item.created_at);
  return at === undefined ? undefined : new Date(at / 1000 - OVERLAP_MS).toISOString();
}

function inOrder(a: Item, b: Item): number {
  return (parseInstant(a.created_at) ?? 0) - (parseInstant(b.created_at) ?? 0);
}

function isSame(item: Item, { content, metadata }: NewPost, user_id: string): boolean {
  return (
    item.user_id === user_id &&
    JSON.stringify(item.content) === JSON.stringify(content) &&
    JSON.stringify(item.metadata) === JSON.stringify(metadata)
  );
}

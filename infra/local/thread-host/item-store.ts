import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseInstant } from '#core/instant.ts';
import type { Item } from '#core/item.ts';
import { type Thread, threadName } from '#core/thread.ts';

export type HostItem = Item & Thread;
export type NewHostItem = { content: Item['content']; parent_id?: string | undefined; metadata?: unknown };
export type Range = { after?: number; before?: number; ascending: boolean };

/** BlobHub says nothing of its page size; a client must not rely on one. */
const PAGE_SIZE = 50;

/** The threads of the built-in thread host: in memory, and in a file of JSON lines where there is a data folder. */
export class ItemStore {
  readonly #threads = new Map<string, { thread: Thread; items: HostItem[] }>();
  readonly #undelivered = new Map<string, HostItem>();
  readonly #file: string | undefined;
  /** Microseconds since 1970 of the newest item. */
  #lastStamp = 0;

  constructor(file?: string) {
    this.#file = file;
    if (!file || !existsSync(file)) return;
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const line of lines) this.#replay(line);
    // The next line must not continue one that a kill cut off.
    if (lines.at(-1) !== '') appendFileSync(file, '\n');
  }

  threads(): Thread[] {
    return [...this.#threads.values()].map(({ thread }) => thread);
  }

  /** Items whose webhook nobody accepted yet, oldest first: those of an earlier run among them. */
  undelivered(): HostItem[] {
    return [...this.#undelivered.values()];
  }

  post(thread: Thread, user_id: string, { content, parent_id, metadata }: NewHostItem): HostItem {
    const item: HostItem = {
      id: `itm_${randomUUID().replaceAll('-', '')}`,
      ...thread,
      created_at: this.#nextStamp(),
      user_id,
      content,
      ...(parent_id && { parent_id }),
      ...(metadata !== undefined && { metadata }),
    };
    this.#write({ item });
    this.#add(item);
    return item;
  }

  delivered(item: HostItem): void {
    this.#write({ delivered: item.id });
    this.#undelivered.delete(item.id);
  }

  get(thread: Thread, item_id: unknown): HostItem | undefined {
    return this.#itemsOf(thread).find(({ id }) => id === item_id);
  }

  /** A page; both bounds, in microseconds, are exclusive. */
  list(thread: Thread, { after = -Infinity, before = Infinity, ascending }: Range): HostItem[] {
    const items = this.#itemsOf(thread).filter(({ created_at }) => {
      const at = parseInstant(created_at) ?? 0;
      return at > after && at < before;
    });
    return (ascending ? items : items.reverse()).slice(0, PAGE_SIZE);
  }

  #itemsOf(thread: Thread): HostItem[] {
    return this.#threads.get(threadName(thread))?.items ?? [];
  }

  #add(item: HostItem): void {
    const { revision_id, session_id, alias } = item;
    const thread = { revision_id, session_id, alias };
    const known = this.#threads.get(threadName(thread));
    if (known) known.items.push(item);
    else this.#threads.set(threadName(thread), { thread, items: [item] });
    this.#undelivered.set(item.id, item);
    this.#lastStamp = Math.max(this.#lastStamp, parseInstant(item.created_at) ?? 0);
  }

  /** Later than every stamp before, also over a restart and where the clock was set back. */
  #nextStamp(): string {
    this.#lastStamp = Math.max(this.#lastStamp + 1, Date.now() * 1000);
    const milliseconds = new Date(Math.floor(this.#lastStamp / 1000)).toISOString().slice(0, -1);
    return `${milliseconds}${String(this.#lastStamp % 1000).padStart(3, '0')}+00:00`;
  }

  #write(line: { item: HostItem } | { delivered: string }): void {
    if (this.#file) appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  /** A line that is not JSON was cut off by a kill: nobody was told of it. */
  #replay(line: string): void {
    try {
      const { item, delivered } = JSON.parse(line) as { item?: HostItem; delivered?: string };
      if (item) this.#add(item);
      if (delivered) this.#undelivered.delete(delivered);
    } catch {}
  }
}

import { render } from 'lit';
import type { Item } from '#core/item.ts';
import { type Thread, threadName } from '#core/thread.ts';
import { ageText } from '../age.ts';
import type { HostClient } from '../host-client.ts';
import type { PendingPrompt } from '../pending-prompt.ts';
import '../pending-prompt.ts';
import type { PromptAnswerEvent } from '../prompt-answer-event.ts';
import { openPromptOf, readThread, type ThreadEntry } from '../read-thread.ts';
import { readSettings, type Settings } from '../settings.ts';
import { TEXTS } from '../texts.ts';
import { ThreadFeed } from '../thread-feed.ts';
import { addressOf, threadAt } from './address.ts';
import { notifyOf } from './notify.ts';
import { signInAs } from './signed-in.ts';
import { type PageState, pageTemplate } from './templates.ts';

const POLL_MS = 1000;
/** Beside the chosen thread, so many others are read at each poll, in turn. */
const OTHERS_AT_ONCE = 5;

/** One user's view of the threads: it polls, shows what it knows, and posts. */
export class LiveThreads {
  readonly #host: HostClient;
  readonly #userId: string;
  readonly #feeds = new Map<string, ThreadFeed>();
  readonly #prompts = new Map<string, PendingPrompt>();
  readonly #read = new WeakMap<readonly Item[], ThreadEntry[]>();
  readonly #replies = new Map<string, PageState['reply']>();
  #settings: Settings;
  #isReachable = true;
  #turn = 0;
  #turnedTo: ThreadFeed | undefined;
  /** Ids of the open prompts at the last look; unknown before the first one. */
  #open: ReadonlySet<string> | undefined;

  constructor(host: HostClient, userId: string, settings: Settings) {
    this.#host = host;
    this.#userId = userId;
    this.#settings = settings;
  }

  async run(): Promise<never> {
    window.addEventListener('hashchange', () => void this.#turnTo());
    for (;;) {
      await this.#poll();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #turnTo(): Promise<void> {
    this.show();
    document.querySelector<HTMLElement>('#thread-heading')?.focus();
    await this.#chosen()
      ?.refresh()
      .catch(() => {});
    this.show();
  }

  async #poll(): Promise<void> {
    try {
      this.#settings = await readSettings(document.baseURI);
      for (const thread of this.#settings.threads) this.#feedOf(thread);
      await Promise.all(this.#due().map((feed) => feed.refresh()));
      this.#isReachable = true;
    } catch {
      this.#isReachable = false;
    }
    this.show();
  }

  /** All at first, so that no question waits unseen; then the chosen thread and some of the others. */
  #due(): ThreadFeed[] {
    const chosen = this.#chosen();
    const all = [...this.#feeds.values()];
    if (!this.#open) return all;
    const others = all.filter((feed) => feed !== chosen);
    const some = others.slice(this.#turn, this.#turn + OTHERS_AT_ONCE);
    this.#turn = this.#turn + OTHERS_AT_ONCE < others.length ? this.#turn + OTHERS_AT_ONCE : 0;
    return chosen ? [chosen, ...some] : some;
  }

  show(): void {
    const wasTyping = isTyping();
    const { runner_user_id } = this.#settings;
    const threads = [...this.#feeds.values()].map((feed) => {
      const entries = this.#entriesOf(feed);
      return { thread: feed.thread, entries, items: feed.items, open: openPromptOf(entries) };
    });
    const chosen = this.#chosen();
    const name = chosen && threadName(chosen.thread);
    render(
      pageTemplate({
        texts: TEXTS,
        userId: this.#userId,
        users: this.#settings.users?.map(({ user_id }) => user_id) ?? [],
        runnerUserId: runner_user_id,
        isReachable: this.#isReachable,
        threads: threads.map(({ thread, items, open }) => ({
          thread,
          address: addressOf(thread),
          isChosen: threadName(thread) === name,
          latest: items.at(-1)?.created_at ?? '',
          open: open && { since: open.created_at, age: ageText(open.created_at, Date.now(), TEXTS) },
        })),
        chosen: threads.find(({ thread }) => threadName(thread) === name),
        promptElement: (entry) => this.#promptElement(entry),
        reply: this.#replies.get(name ?? '') ?? { text: '', problem: undefined },
        write: (text) => name !== undefined && this.#replies.set(name, { text, problem: undefined }),
        send: () => void this.#reply(),
        become: (user) => {
          const account = this.#settings.users?.find(({ user_id }) => user_id === user);
          if (account) signInAs(account.api_key);
        },
      }),
      document.body,
    );
    this.#noticeNew(threads, wasTyping);
    this.#turnToOpen(threads.find(({ thread }) => threadName(thread) === name)?.open);
  }

  /** Once for each thread that is turned to: its open question is at the end, however long the thread is. */
  #turnToOpen(open: Item | undefined): void {
    const feed = this.#chosen();
    if (feed === this.#turnedTo || feed?.items.length === 0) return;
    this.#turnedTo = feed;
    const element = open && this.#prompts.get(open.id);
    if (element) void element.updateComplete.then(() => element.scrollIntoView({ block: 'nearest' }));
  }

  #noticeNew(threads: { thread: Thread; open: Item | undefined }[], wasTyping: boolean): void {
    const open = threads.flatMap((one) => (one.open ? [{ thread: one.thread, item: one.open }] : []));
    document.title = TEXTS.title(open.length);
    const before = this.#open;
    this.#open = new Set(open.map(({ item }) => item.id));
    if (!before) return;
    const chosen = this.#chosen();
    for (const { thread, item } of open.filter((one) => !before.has(one.item.id))) {
      notifyOf(item, TEXTS);
      const isShown = chosen && threadName(chosen.thread) === threadName(thread);
      if (isShown && !wasTyping) this.#prompts.get(item.id)?.focus();
    }
  }

  /** One element for each prompt, kept with its draft while another thread is shown. */
  #promptElement({ item, settled }: Extract<ThreadEntry, { is: 'prompt' }>): PendingPrompt {
    const feed = this.#chosen();
    let element = this.#prompts.get(item.id);
    if (!element) {
      element = document.createElement('pending-prompt');
      element.addEventListener('prompt-answer', (event) => {
        const answer = event as PromptAnswerEvent;
        if (feed) answer.waitUntil(this.#post(feed, answer.detail));
      });
      this.#prompts.set(item.id, element);
    }
    if (JSON.stringify(element.settled) !== JSON.stringify(settled)) element.settled = settled;
    element.item = item;
    element.user = this.#userId;
    return element;
  }

  async #post(feed: ThreadFeed, post: Parameters<ThreadFeed['post']>[0]): Promise<Item> {
    const item = await feed.post(post, this.#userId);
    // After the element has the id of what it posted.
    setTimeout(() => this.show());
    return item;
  }

  async #reply(): Promise<void> {
    const feed = this.#chosen();
    if (!feed) return;
    const name = threadName(feed.thread);
    const {
      text = '',
      post = { content: [{ type: 'text' as const, text }] },
      isSending,
    } = this.#replies.get(name) ?? {};
    if (text.trim() === '' || isSending) return;
    this.#replies.set(name, { text, problem: undefined, post, isSending: true });
    this.show();
    try {
      await this.#post(feed, post);
      this.#replies.delete(name);
    } catch (error) {
      this.#replies.set(name, { text, post, problem: error instanceof Error ? error.message : '' });
    }
    this.show();
  }

  /** Read again only where something was new: every poll shows them. */
  #entriesOf({ items }: ThreadFeed): ThreadEntry[] {
    const entries = this.#read.get(items) ?? readThread(items, this.#settings.runner_user_id);
    this.#read.set(items, entries);
    return entries;
  }

  #chosen(): ThreadFeed | undefined {
    const thread = threadAt(location.hash);
    return thread && this.#feedOf(thread);
  }

  #feedOf(thread: Thread): ThreadFeed {
    const name = threadName(thread);
    const feed = this.#feeds.get(name) ?? new ThreadFeed(this.#host, thread);
    this.#feeds.set(name, feed);
    return feed;
  }
}

/** Moving the focus now would take the words from under the fingers. */
function isTyping(): boolean {
  const element = document.activeElement;
  if (element instanceof HTMLTextAreaElement) return element.value !== '';
  return element?.localName === 'pending-prompt' && (element as PendingPrompt).isBeingAnswered;
}

import type { Item } from '#core/item.ts';
import type { Metrics } from '#core/metrics.ts';
import type { SettledPrompt, UnfinishedPrompt, WithdrawnPrompt } from '#core/prompt.ts';
import type { Receipt } from '#core/prompting/decide.ts';
import type { Slot, Work } from '#core/prompting/slot.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';

/** Everything outside that the functions use. Adapters implement it; tests crash the process between its calls. */
export type Ports = {
  store: PromptStore;
  threadHost: ThreadHost;
  runnerQueues: RunnerQueues;
  threadItems: ThreadItemQueue;
  clock: Clock;
  telemetry: Telemetry;
  /** `prm_` and a ULID whose random half is drawn from thread and request: the same raise names the same prompt (P1). */
  mintPromptId(thread: Thread, request_id: string, now: number): string;
};

/** A prompt that left the slot: kept for idempotent raise, cancel and ack, and for attach. */
export type PastPrompt = SettledPrompt | WithdrawnPrompt;

export interface PromptStore {
  /** One strongly consistent read: the slot, receipts of these items, and the past prompt of this request. */
  read(thread: Thread, also?: { items?: string[]; requestKey?: string }): Promise<StoredThread>;
  /**
   * The conditional write: `slot` replaces what was read at `slot.rev`. False means that somebody else wrote meanwhile,
   * or that an earlier attempt of this very call was applied and its reply lost: read again and decide again.
   * @throws SlotTooLargeError where the record would pass DynamoDB's 400 KB
   */
  save(thread: Thread, slot: Slot): Promise<boolean>;
  /** Puts a finished prompt into the history, together with the receipt of the item that answered it. */
  keep(thread: Thread, prompt: UnfinishedPrompt): Promise<void>;
  putReceipt(thread: Thread, item_id: string, receipt: Receipt): Promise<void>;
  /** Past prompts of this thread that the runner has not acknowledged, oldest first. */
  unacknowledged(thread: Thread): Promise<SettledPrompt[]>;
  acknowledge(thread: Thread, prompt: PastPrompt, now: number): Promise<void>;
  /** Threads with something unfinished that is due; eventually consistent, so it only discovers. */
  due(now: number, limit: number): Promise<Thread[]>;
  /** What one list of the index holds now; its cost is bounded, so beyond 1,000 entries it counts 1,000. */
  gauge(list: WorkList): Promise<Gauge>;
  /** Records a message that can never be handled (protocol step 9). */
  park(messageId: string, body: string, why: string, now: number): Promise<void>;
}
/** The lists of the index: threads by their open question or by what is owed, and outcomes that nobody acknowledged. */
export type WorkList = Work['list'] | 'unacknowledged';
/** In milliseconds of our clock; `undefined` where there is none. */
export type Gauge = {
  count: number;
  /** Of open questions: when the oldest was raised; of outcomes: when the oldest was settled. */
  since: number | undefined;
  unnotified_since: number | undefined;
  unaudited_since: number | undefined;
};
export type StoredThread = { slot: Slot; receipts: ReadonlyMap<string, Receipt>; past?: PastPrompt };

export interface ThreadHost {
  /** The user whose key we hold. Unknown = nothing can answer. @throws ThreadHostError */
  ownUserId(): Promise<string>;
  post(thread: Thread, item: NewItem): Promise<PostResult>;
  /** @throws ThreadHostError */
  get(thread: Thread, item_id: string): Promise<Item | undefined>;
  /** A page of the thread's items, newest first unless `ascending`; both bounds are exclusive. @throws ThreadHostError */
  list(thread: Thread, range: ListRange): Promise<Item[]>;
  /** Our own item of this metadata type and prompt id, posted after `since` (ISO 8601). @throws ThreadHostError */
  findOwn(thread: Thread, type: OwnItemType, prompt_id: string, since: string): Promise<Item | undefined>;
}
export type ListRange = { created_since?: string; created_before?: string; ascending?: boolean };
export type OwnItemType = 'pending_prompt' | 'pending_prompt_resolved';
export type NewItem = { content: { type: 'text'; text: string }[]; metadata: Record<string, unknown> };
/** The host has no idempotency key: after `unknown` the item must be looked for before it is posted again. */
export type PostResult =
  | { outcome: 'posted'; item: Item }
  | { outcome: 'refused'; why: string }
  | { outcome: 'unknown'; why: string };

export interface RunnerQueues {
  has(runner: string): boolean;
  send(runner: string, message: RunnerMessage): Promise<void>;
}

/** The FIFO queue of inbound items; without the item inside, the resolver reads it from the host. */
export interface ThreadItemQueue {
  send(thread: Thread, item_id: string, item?: Item): Promise<void>;
  /** Makes a received message visible again after this many seconds. */
  retryAfter(receiptHandle: string, seconds: number): Promise<void>;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  wait(ms: number): Promise<void>;
}

/** Ids, lengths, kinds and paths only: never a question, an answer, an item's text or a secret (I16). */
export type LogFields = Record<string, string | number | boolean | undefined>;
export interface Telemetry {
  info(event: string, fields: LogFields, metrics?: Metrics): void;
  /** `error` adds its name and message's class only. */
  failure(event: string, error: unknown, fields: LogFields, metrics?: Metrics): void;
}

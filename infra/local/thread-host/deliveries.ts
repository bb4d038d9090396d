import { createHmac, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { threadName } from '#core/thread.ts';
import type { HostItem } from './item-store.ts';

export type WebhookTarget = { url: string; secret: string };
type Told = { delivered(item: HostItem): void; log(line: string): void };

const TIMEOUT_MS = 15_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
/** Answers that sending again cannot change; 401 is not among them, since secrets are rotated. */
const FINAL = new Set([400, 404, 410, 413]);

/** Tells a webhook of every posted item, one at a time and in order within a thread, until it is accepted. */
export class Deliveries {
  readonly #target: WebhookTarget;
  readonly #told: Told;
  readonly #queues = new Map<string, HostItem[]>();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(target: WebhookTarget, told: Told) {
    this.#target = target;
    this.#told = told;
    // One for each thread that waits; Node takes more than ten for a leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  add(item: HostItem): void {
    const thread = threadName(item);
    const waiting = this.#queues.get(thread);
    if (waiting) {
      waiting.push(item);
      return;
    }
    this.#queues.set(thread, [item]);
    const running = this.#deliverThread(thread).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #deliverThread(thread: string): Promise<void> {
    const queue = this.#queues.get(thread) ?? [];
    for (let item = queue[0]; item && !this.#stopping.signal.aborted; item = queue[0]) {
      if (!(await this.#deliver(item))) return;
      this.#told.delivered(item);
      queue.shift();
    }
    this.#queues.delete(thread);
  }

  /** @returns false where the stack stops before anybody took it */
  async #deliver(item: HostItem): Promise<boolean> {
    const body = JSON.stringify(eventOf(item));
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const status = await this.#send(`msg_${item.id}`, body);
      if (status >= 200 && status < 300) return true;
      if (FINAL.has(status)) {
        this.#told.log(`the webhook refused ${item.id} for good: HTTP ${status}`);
        return true;
      }
      if (this.#stopping.signal.aborted) return false;
      await wait(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  /** @returns the HTTP status, or 0 where there was no answer */
  async #send(id: string, body: string): Promise<number> {
    const timestamp = Math.floor(Date.now() / 1000);
    try {
      const response = await fetch(this.#target.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': `v1,${webhookSignature(this.#target.secret, id, timestamp, body)}`,
        },
        body,
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return 0;
    }
  }
}

/** One signature as Standard Webhooks define it, without the version. */
export function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
}

/** interface.md 1. */
function eventOf(item: HostItem) {
  const { id, revision_id, session_id, alias } = item;
  return {
    id: `evt_${randomUUID()}`,
    type: 'session_thread_item_posted',
    revision_id,
    session_id,
    alias,
    item_id: id,
    created_at: Date.now(),
    item,
  };
}

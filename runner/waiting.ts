import type { PromptAnswered, PromptCancelled } from '#core/runner-message.ts';
import { type Thread, threadName } from '#core/thread.ts';

/** What the queue brings to somebody who waits: an outcome, or the news that it cannot be read. */
export type Told = PromptAnswered | PromptCancelled | { type: 'malformed' };
type Address = { thread: Thread; request_id: string };

/**
 * Who waits for the outcome of which request. An outcome for which nobody waits needs no keeping here: until it is
 * acknowledged the API gives it again to whoever asks with the same `request_id`, after a restart too.
 */
export class Waiting {
  readonly #listeners = new Map<string, Set<(told: Told) => void>>();

  listen(address: Address, signal: AbortSignal): Promise<Told> {
    const name = nameOf(address);
    const { promise, resolve } = Promise.withResolvers<Told>();
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(resolve));
    const leave = () => {
      listeners.delete(resolve);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
    };
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  }

  tell(address: Address, told: Told): void {
    for (const listener of this.#listeners.get(nameOf(address)) ?? []) listener(told);
  }
}

function nameOf({ thread, request_id }: Address): string {
  return JSON.stringify([threadName(thread), request_id]);
}

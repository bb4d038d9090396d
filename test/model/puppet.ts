import type { Item } from '#core/item.ts';
import type { NewItem, PastPrompt, Ports, PostResult, StoredThread } from '#core/ports.ts';
import type { SettledPrompt } from '#core/prompt.ts';
import type { Slot } from '#core/prompting/slot.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import { OWN_USER } from '../support/given.ts';

/** A call that the real code has made and whose answer it waits for. */
export type Waiting = {
  port: string;
  with: unknown;
  answer: (value: unknown) => void;
  refuse: (error: Error) => void;
};

/** Ports whose every call waits until the test answers it, so that the real code takes one side effect at a time. */
export class Puppet {
  waiting: Waiting | undefined;
  now = 0;
  readonly #mints: string;

  /** @param mints the id that its raise is to give to a new prompt */
  constructor(mints = '') {
    this.#mints = mints;
  }

  #call<T>(port: string, given: unknown): Promise<T> {
    return new Promise((answer, refuse) => {
      this.waiting = { port, with: given, answer: answer as (value: unknown) => void, refuse };
    });
  }

  ports(): Ports {
    const call = this.#call.bind(this);
    return {
      store: {
        read: (_, also) => call<StoredThread>('read', also),
        save: (_, slot: Slot) => call<boolean>('save', slot),
        keep: (_, prompt) => call<void>('keep', prompt),
        putReceipt: (_, item_id, receipt) => call<void>('receipt', { item_id, receipt }),
        unacknowledged: () => call<SettledPrompt[]>('unacknowledged', undefined),
        acknowledge: (_, prompt: PastPrompt) => call<void>('acknowledgePast', prompt.prompt_id),
        due: () => Promise.resolve([]),
        gauge: () => Promise.reject(new Error('not of the protocol')),
        park: () => Promise.resolve(),
      },
      threadHost: {
        ownUserId: () => Promise.resolve(OWN_USER),
        post: (_, item: NewItem) => call<PostResult>('post', item),
        get: () => Promise.resolve(undefined),
        // The thread is one page long.
        list: (_, { created_before }) => (created_before ? Promise.resolve([]) : call<Item[]>('list', undefined)),
        findOwn: (_, type, prompt_id) => call<Item | undefined>('look', { type, prompt_id }),
      },
      runnerQueues: { has: () => true, send: (_, message: RunnerMessage) => call<void>('send', message) },
      threadItems: { send: (_, item_id) => call<void>('enqueue', item_id), retryAfter: () => Promise.resolve() },
      // The look right after a post of unknown outcome pauses for no time at all.
      clock: { now: () => this.now, wait: (ms) => (ms === 0 ? Promise.resolve() : call<void>('wait', undefined)) },
      telemetry: { info: () => undefined, failure: () => undefined },
      mintPromptId: () => this.#mints,
    };
  }
}

import type { NextTurn } from '#core/runner-message.ts';
import { type Thread, threadName } from '#core/thread.ts';
import type { Pause } from './call-again.ts';
import type { Inbox } from './inbox.ts';

/**
 * Starts or continues the agent of a thread with what its users wrote, oldest first. It may wait for the whole turn. The
 * messages are done when it resolves; when it rejects, or the process dies, they are handed over again.
 */
export type OnNextTurn = (thread: Thread, messages: NextTurn[]) => Promise<void>;

const FIRST_BACK_OFF_MS = 1000;
const LONGEST_BACK_OFF_MS = 60_000;

type Surroundings = {
  inbox: Inbox;
  onNextTurn: OnNextTurn;
  report: (what: string, error?: unknown) => void;
  pause: Pause;
  signal: AbortSignal;
};

/** Hands next turns over, one hand-over at a time for each thread; what comes meanwhile goes together in the next. */
export class NextTurns {
  readonly #around: Surroundings;
  readonly #waiting = new Map<string, NextTurn[]>();
  readonly #busy = new Set<string>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** What an earlier process left behind. */
  async takeUp(): Promise<void> {
    for (const message of await this.#around.inbox.waiting()) this.#wait(message);
    this.handOver();
  }

  async add(message: NextTurn): Promise<void> {
    if (await this.#around.inbox.add(message)) this.#wait(message);
  }

  handOver(): void {
    for (const name of this.#waiting.keys()) if (!this.#busy.has(name)) void this.#handOverThread(name);
  }

  #wait(message: NextTurn): void {
    const name = threadName(message.thread);
    this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), message]);
  }

  async #handOverThread(name: string): Promise<void> {
    const { inbox, onNextTurn, signal } = this.#around;
    this.#busy.add(name);
    for (;;) {
      const messages = this.#take(name);
      const [first] = messages;
      if (!first || signal.aborted) break;
      const taken = () => onNextTurn(first.thread, messages);
      if (!(await this.#untilDone('a next turn was not taken and is handed over again', taken))) break;
      const kept = () => inbox.done(messages);
      if (!(await this.#untilDone('the inbox did not keep that a next turn was taken', kept))) break;
    }
    this.#busy.delete(name);
  }

  /** @returns false where the process stops before */
  async #untilDone(failure: string, step: () => Promise<void>): Promise<boolean> {
    const { report, pause, signal } = this.#around;
    for (let backOff = FIRST_BACK_OFF_MS; ; backOff = Math.min(backOff * 2, LONGEST_BACK_OFF_MS)) {
      try {
        await step();
        return true;
      } catch (error) {
        report(failure, error);
        await pause(backOff, signal).catch(() => undefined);
        if (signal.aborted) return false;
      }
    }
  }

  #take(name: string): NextTurn[] {
    const messages = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    return messages;
  }
}

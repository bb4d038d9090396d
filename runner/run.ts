import { SUPERSEDED } from '#core/prompting/slot.ts';
import { type Thread, threadName } from '#core/thread.ts';
import { aborted } from './aborted.ts';
import type { Ask, Asking, Outcome } from './ask.ts';
import { type AskPorts, askPerson, RUN_ENDED } from './ask-person.ts';
import { callAgain } from './call-again.ts';
import type { Attached } from './runner-api.ts';

/** An outcome that a run was given. */
export type GivenOutcome = Outcome & {
  /**
   * The harness has it where it survives this process, in its transcript for instance: the API tells it no more. Without
   * this the same `request_id` gets the same outcome again, after a crash too. Never rejects.
   */
  acknowledge?: () => Promise<void>;
};

export type RunPorts = AskPorts & {
  report: (what: string, error?: unknown) => void;
  /** The process goes away: everybody's questions are left open. */
  park: AbortSignal;
  /** By thread, the number of the newest run that has asked. */
  newestRuns: Map<string, number>;
};

const NEVER = new AbortController().signal;

/**
 * One run of an agent on a thread. Its questions wait for each other in the order in which they were asked, since a
 * thread has one open prompt and a second would supersede the first. A question of a newer run does supersede: what an
 * older run asks or has waiting is told so.
 */
export class Run {
  readonly #ports: RunPorts;
  readonly #thread: Thread;
  readonly #number: number;
  readonly #superseded = new AbortController();
  readonly #given = new Map<string, Promise<void> | undefined>();
  #last: Promise<void> = Promise.resolve();

  /** @param number of two runs the larger is the newer */
  constructor(ports: RunPorts, thread: Thread, number: number) {
    this.#number = number;
    this.#ports = ports;
    this.#thread = thread;
  }

  /** What is open on the thread, and the outcomes that nobody acknowledged. @throws RunnerApiError, network errors */
  attach(signal?: AbortSignal): Promise<Attached> {
    const { api, pause, runner } = this.#ports;
    return callAgain(() => api.attach(this.#thread, runner, signal), pause, signal);
  }

  /** Its outcome can be acknowledged by itself. */
  readonly ask: (...call: Parameters<Ask>) => Promise<GivenOutcome> = async (asking, signal = NEVER, park = NEVER) => {
    const before = this.#last;
    const { promise, resolve: leave } = Promise.withResolvers<void>();
    this.#last = Promise.all([before, promise]).then(() => {});
    try {
      return await this.#askInTurn(asking, before, signal, AbortSignal.any([park, this.#ports.park]));
    } finally {
      leave();
    }
  };

  /**
   * What was given so far is where it survives this process: the turn has ended, for instance. Never rejects.
   * @param prompt_id of this prompt alone, also where it was not given here but stood in `unacknowledged`
   */
  async acknowledge(prompt_id?: string): Promise<void> {
    if (prompt_id !== undefined && !this.#given.has(prompt_id)) this.#given.set(prompt_id, undefined);
    const prompts = prompt_id === undefined ? [...this.#given.keys()] : [prompt_id];
    await Promise.all(prompts.map((each) => this.#acknowledge(each)));
  }

  async #askInTurn(
    asking: Asking,
    before: Promise<void>,
    signal: AbortSignal,
    park: AbortSignal,
  ): Promise<GivenOutcome> {
    this.#takeThread();
    const over = new AbortController();
    const gaveUp = aborted(AbortSignal.any([signal, park, this.#superseded.signal]), over.signal);
    await Promise.race([gaveUp, before]).finally(() => over.abort());
    if (this.#isSuperseded()) return { state: 'cancelled', reason: SUPERSEDED };
    if (park.aborted) return { state: 'parked' };
    if (signal.aborted) return { state: 'cancelled', reason: RUN_ENDED };

    const { outcome, prompt_id, superseded } = await askPerson(this.#ports, this.#thread, asking, signal, park);
    if (superseded) this.#superseded.abort();
    if (prompt_id === undefined) return outcome;
    this.#given.set(prompt_id, undefined);
    const acknowledge = () => this.#acknowledge(prompt_id);
    // The API tells how a prompt was cancelled for ever, to whoever asks with the same name; so nothing can be lost.
    if (outcome.state === 'cancelled') void acknowledge();
    return { ...outcome, acknowledge };
  }

  /** From its first question on, older runs of the thread ask no more. */
  #takeThread(): void {
    const { newestRuns } = this.#ports;
    const name = threadName(this.#thread);
    newestRuns.set(name, Math.max(newestRuns.get(name) ?? 0, this.#number));
  }

  /** An older run does not take the thread back: two runs would cancel each other's questions for ever. */
  #isSuperseded(): boolean {
    const newest = this.#ports.newestRuns.get(threadName(this.#thread)) ?? 0;
    return this.#superseded.signal.aborted || newest > this.#number;
  }

  async #acknowledge(prompt_id: string): Promise<void> {
    if (!this.#given.has(prompt_id)) return;
    const { api, pause, report } = this.#ports;
    const earlier = this.#given.get(prompt_id);
    const ack = earlier ?? callAgain(() => api.ack(this.#thread, prompt_id), pause);
    this.#given.set(prompt_id, ack);
    try {
      await ack;
      this.#given.delete(prompt_id);
    } catch (error) {
      this.#given.set(prompt_id, undefined);
      report('an outcome could not be acknowledged', error);
    }
  }
}

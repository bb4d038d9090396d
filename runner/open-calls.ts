import type { Ask, Asking } from './ask.ts';
import type { GivenOutcome } from './run.ts';

type OpenCall = { outcome: Promise<GivenOutcome>; drop: () => void };

/**
 * The questions of one run by their tool call, each asked once however often the harness comes back with the call: its
 * hook, its permission callback and its tool, in this process of the harness or after a resume in another one.
 */
export class OpenCalls {
  readonly #ask: Ask;
  readonly #ended: AbortSignal | undefined;
  readonly #park: AbortSignal | undefined;
  readonly #calls = new Map<string, OpenCall>();

  constructor(ask: Ask, ended: AbortSignal | undefined, park: AbortSignal | undefined) {
    this.#ask = ask;
    this.#ended = ended;
    this.#park = park;
  }

  /** `asking` is looked at when the call is new. */
  outcome(callId: string, asking: () => Asking): Promise<GivenOutcome> {
    const known = this.#calls.get(callId);
    if (known) return known.outcome;
    const dropped = new AbortController();
    const ended = this.#ended ? AbortSignal.any([this.#ended, dropped.signal]) : dropped.signal;
    const outcome = this.#outcome(asking, ended);
    this.#calls.set(callId, { outcome, drop: () => dropped.abort() });
    return outcome;
  }

  async #outcome(asking: () => Asking, ended: AbortSignal): Promise<GivenOutcome> {
    try {
      return (
        (await this.#ask(asking(), ended, this.#park)) ?? { state: 'unavailable', message: 'no outcome was given' }
      );
    } catch (error) {
      return { state: 'unavailable', message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The harness gave the call up: its prompt is cancelled, unless this process only goes away. */
  drop(callId: string): void {
    if (!this.#park?.aborted) this.#calls.get(callId)?.drop();
  }

  dropAllBut(callId: string | undefined): void {
    for (const id of this.#calls.keys()) if (id !== callId) this.drop(id);
  }
}

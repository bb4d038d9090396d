import { setTimeout } from 'node:timers/promises';
import { RunnerApiError } from './runner-api.ts';

/** @throws when the signal aborts */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;
export const pauseFor: Pause = (ms, signal) => setTimeout(ms, undefined, signal && { signal });

/** Two minutes in all: a deployment or a short outage passes, and an agent is not left without a word for longer. */
const PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15_000, 30_000, 30_000, 30_000];

/**
 * Makes a call of the runner API, again after what may pass: no connection, no credentials, 408, 429 and 5xx. All calls
 * may be repeated, since they are idempotent (decisions.md P1, P6).
 * @throws what the last attempt threw, or at once what does not pass by itself
 */
export async function callAgain<T>(call: () => Promise<T>, pause: Pause, signal?: AbortSignal): Promise<T> {
  for (const longest of PAUSES_MS) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted || !passes(error)) throw error;
      // Runners that lost the API in the same moment do not all come back in the same moment.
      await pause(longest * (0.5 + Math.random() / 2), signal);
    }
  }
  return call();
}

/** Without a status nothing was refused: the call did not get through, or its answer did not come back. */
function passes(error: unknown): boolean {
  if (!(error instanceof RunnerApiError)) return true;
  // A definite "it was not asked" (interface.md 2), which the agent is to hear.
  if (error.code === 'prompt_unavailable') return false;
  return error.status >= 500 || error.status === 408 || error.status === 429;
}

import type { Item } from '#core/item.ts';
import type { Answer, Kind, Question } from '#core/prompt.ts';

/** What an agent wants to know, and the name of this asking: the harness's tool-call id, the same one after a restart. */
export type Asking = {
  request_id: string;
  kind: Kind;
  questions: Question[];
  /** The runner's own data, at most 8 KiB of JSON; it comes back with the outcome. */
  session?: unknown;
  /** Only these users may answer; without it every user of the thread but the runner's own. */
  allowed_user_ids?: string[];
};

/** How an asking ended. Only `answered` came from a person; the other three must never be told as a refusal. */
export type Outcome =
  | { state: 'answered'; answers: Answer[]; item: Item }
  | { state: 'cancelled'; reason: string }
  /** Nobody saw the question; the message begins with `Approval unavailable`. */
  | { state: 'unavailable'; message: string }
  /** Nobody waits any more, but the prompt stays open: asking again with the same `request_id` waits for it anew. */
  | { state: 'parked' };

/**
 * Asks a person on the thread and waits without a time limit. This is the seam between an adapter to a harness and the
 * client: an adapter is tested with an `Ask` of its own.
 *
 * It never rejects: whatever fails is `unavailable`.
 *
 * @param signal the run ended: the prompt is cancelled with the reason `the run ended`
 * @param park the process goes away or will not wait longer: the prompt is left open
 */
export type Ask = (asking: Asking, signal?: AbortSignal, park?: AbortSignal) => Promise<Outcome>;

import type {
  ActivePrompt,
  OpenPrompt,
  Outcome,
  PostingPrompt,
  SettledPrompt,
  UnfinishedPrompt,
  WithdrawnPrompt,
} from '#core/prompt.ts';
import { utf8Bytes } from '#core/utf8.ts';

/**
 * The record of one thread: its single active prompt, and the outbox of earlier ones that are decided but not finished.
 * Every change is a pure transition here and one conditional write on `rev` in the store, so that every race has one
 * winner and the loser reads again. A transition that does not apply to what it is given returns `undefined`.
 */
export type Slot = {
  /** Counts the writes; 0 = never written. */
  rev: number;
  /** The configured runner that last raised or attached with its name (interface.md 3). */
  runner?: string;
  active?: ActivePrompt;
  outbox: UnfinishedPrompt[];
  /** Up to this item (its `created_at`) attach has read the thread: what came before is known here. */
  surveyed_to?: string;
};

/** A slot whose question is on its way to the thread. */
type PostingSlot = Slot & { active: PostingPrompt };

/** More than a handful of unfinished prompts on one thread means that its host is down: ask later (C26). */
export const OUTBOX_LIMIT = 8;
/** A question whose posting nobody finished in this time was left by a crash, or its post may still land. */
export const POSTING_GRACE_MS = 60_000;
/** Posting, its looks and an earlier prompt's audit post take a raise this long at most; then nobody is at it any more. */
export const POSTING_CLAIM_MS = 20_000;
/** One worker's time to post an audit item: the host's 5 s, the look before it, and room to record the end. */
export const CLAIM_MS = 12_000;

/** All answers of a prompt together; larger ones would not fit the record (decisions.md A9). Nothing is cut. */
export const ANSWERS_LIMIT_BYTES = 200 * 1024;
/** A larger answering item is read from the thread again where it is needed. */
export const KEPT_ITEM_BYTES = 16 * 1024;
/**
 * DynamoDB holds 400 KB an item. A raise leaves room for the largest answers (A9), a kept item, and who answered in three
 * of the longest ids as JSON escapes them, so that a settlement never fails for its size; an outbox too full for that
 * makes it wait. The largest body of a raise fits.
 */
export const RAISE_LIMIT_BYTES = 399 * 1024 - ANSWERS_LIMIT_BYTES - KEPT_ITEM_BYTES - 19 * 1024;

export const SUPERSEDED = 'superseded by a new question';
export const LANDED_LATE = 'the question reached the thread after it was given up';

export const emptySlot = (): Slot => ({ rev: 0, outbox: [] });

/** Protocol step 1: a new prompt takes the slot; an open one is cancelled as superseded in the same write (P5). */
export function beginPosting(slot: Slot, prompt: PostingPrompt, now: number): PostingSlot | undefined {
  if (slot.outbox.length >= OUTBOX_LIMIT || slot.active?.state === 'posting') return undefined;
  const superseded = slot.active && settled(slot.active, { state: 'cancelled', reason: SUPERSEDED }, now);
  const next = { ...slot, active: prompt, outbox: superseded ? [...slot.outbox, superseded] : slot.outbox };
  return utf8Bytes(JSON.stringify(next)) <= RAISE_LIMIT_BYTES ? next : undefined;
}

/** P1: a request comes again whose posting nobody is at any more. It stays as it is, so that items go on waiting for it. */
export function takeOverPosting(slot: Slot, prompt_id: string, now: number): PostingSlot | undefined {
  if (slot.active?.prompt_id !== prompt_id || slot.active.state !== 'posting') return undefined;
  if (slot.active.claimed_until > now) return undefined;
  return { ...slot, active: { ...slot.active, claimed_until: now + POSTING_CLAIM_MS } };
}

/** Protocol step 3: the question is on the thread. Whoever sees it first does it. */
export function openPrompt(slot: Slot, prompt_id: string, posted: Posted): Slot | undefined {
  if (slot.active?.prompt_id !== prompt_id || slot.active.state !== 'posting') return undefined;
  const { claimed_until, ...prompt } = slot.active;
  return { ...slot, active: { ...prompt, state: 'open', ...posted } };
}
export type Posted = Pick<OpenPrompt, 'item_id' | 'posted_at'>;

/**
 * P7: the question was not asked. Where its post may still land, it is watched for as `withdrawn`. Only the attempt that
 * failed is withdrawn: a later one of the same request has its own claim, and its own end.
 */
export function withdraw(slot: Slot, posting: PostingPrompt, mayStillLand: boolean, now: number): Slot | undefined {
  if (slot.active?.prompt_id !== posting.prompt_id || slot.active.state !== 'posting') return undefined;
  if (slot.active.claimed_until !== posting.claimed_until) return undefined;
  const { active, ...rest } = slot;
  if (!mayStillLand) return rest;
  const { claimed_until, ...prompt } = active;
  return { ...rest, outbox: [...slot.outbox, { ...prompt, state: 'withdrawn', settled_at: now }] };
}

/**
 * A withdrawn question stands on the thread after all: it is closed there, and the runner is told. It may have left the
 * slot before; a new raise of the same request, which makes it active again, is not disturbed.
 */
export function cancelLateLanding(slot: Slot, late: WithdrawnPrompt, posted: Posted, now: number): Slot | undefined {
  const { prompt_id } = late;
  const listed = slot.outbox.find((prompt) => prompt.prompt_id === prompt_id);
  if (slot.active?.prompt_id === prompt_id || (listed && listed.state !== 'withdrawn')) return undefined;
  const { next_attempt_at, ...prompt } = late;
  const cancelled: SettledPrompt = { ...prompt, ...posted, state: 'cancelled', reason: LANDED_LATE, settled_at: now };
  return { ...slot, outbox: [...slot.outbox.filter((other) => other !== listed), cancelled] };
}

/** Protocol step 6, the linearization point: this prompt, still open, gets its only outcome (I1). */
export function settle(slot: Slot, prompt_id: string, outcome: Outcome, now: number): Slot | undefined {
  if (slot.active?.prompt_id !== prompt_id || slot.active.state !== 'open') return undefined;
  const { active, ...rest } = slot;
  return { ...rest, outbox: [...slot.outbox, settled(active, outcome, now)] };
}

export type Mark = Partial<
  Pick<SettledPrompt, 'notified_at' | 'claimed_until' | 'audit_unknown_at' | 'next_attempt_at'>
>;

/** Records how far an unfinished prompt is. A claim ends with the attempt that it covered. */
export function markUnfinished(slot: Slot, prompt_id: string, mark: Mark): Slot | undefined {
  return changeUnfinished(slot, prompt_id, ({ claimed_until, ...prompt }) => ({ ...prompt, ...mark }));
}

/**
 * Records an attempt that failed. Only the claim that is `mine` ends with it: another worker's still running one is not
 * touched, and one that ran out unended stays, for what it tells the next (I2).
 */
export function markOwed(slot: Slot, prompt_id: string, mark: Mark, mine: number | undefined, now: number) {
  const claimed_until = slot.outbox.find((prompt) => prompt.prompt_id === prompt_id)?.claimed_until;
  if (claimed_until === undefined || claimed_until === mine) return markUnfinished(slot, prompt_id, mark);
  return claimed_until > now ? undefined : markUnfinished(slot, prompt_id, { ...mark, claimed_until });
}

/** The agent has the outcome, though not all that follows a settlement is done yet. */
export function acknowledge(slot: Slot, prompt_id: string, now: number): Slot | undefined {
  return changeUnfinished(slot, prompt_id, (prompt) => ({ ...prompt, acked_at: prompt.acked_at ?? now }));
}

/** Protocol step 7, its end: nothing is owed any more. */
export function dropFinished(slot: Slot, prompt_id: string): Slot | undefined {
  const outbox = slot.outbox.filter((prompt) => prompt.prompt_id !== prompt_id);
  return outbox.length < slot.outbox.length ? { ...slot, outbox } : undefined;
}

/** Where the index lists a thread: by when something unfinished is due, else by since when its question waits. */
export type Work = { list: 'unfinished' | 'open'; at: number };

/**
 * What the index tells of a thread; in milliseconds, `undefined` where nothing is open or owed. A prompt just answered
 * stays where it was, among the open ones: its message finds it, and the settlement writes one index entry less.
 */
export function workOf(slot: Slot): Work | undefined {
  const due = slot.outbox.filter((prompt) => !isJustAnswered(prompt)).map(promptDueAt);
  if (slot.active?.state === 'posting') due.push(postingDueAt(slot.active));
  const [next] = due.sort((a, b) => a - b);
  if (next !== undefined) return { list: 'unfinished', at: next };
  const waiting = slot.active ?? slot.outbox[0];
  return waiting && { list: 'open', at: waiting.raised_at };
}

/** Nobody has marked it since its answer was written: the queue still has the answer's message, and delivers it again. */
export function isJustAnswered({ state, notified_at, next_attempt_at }: UnfinishedPrompt): boolean {
  return state === 'answered' && notified_at === undefined && next_attempt_at === undefined;
}

/** Since when the runner is to be told of an outcome, and since when an audit item is owed; in milliseconds. */
export function debtsOf({ outbox }: Slot): { unnotified_since?: number; unaudited_since?: number } {
  const settled = outbox.filter(({ state }) => state !== 'withdrawn');
  const [unaudited] = settled.map(({ settled_at }) => settled_at).sort((a, b) => a - b);
  const untold = settled.filter(({ notified_at }) => notified_at === undefined);
  const [unnotified] = untold.map(({ settled_at }) => settled_at).sort((a, b) => a - b);
  return {
    ...(unnotified !== undefined && { unnotified_since: unnotified }),
    ...(unaudited !== undefined && { unaudited_since: unaudited }),
  };
}

/** When a question still posting was left there by a crash: its last attempt began long enough ago. */
export function postingDueAt({ claimed_until }: PostingPrompt): number {
  return claimed_until - POSTING_CLAIM_MS + POSTING_GRACE_MS;
}

/** When the next step of an unfinished prompt is due: not while a worker is at it, nor before the pause after a failure. */
export function promptDueAt({ state, settled_at, next_attempt_at = 0, claimed_until = 0 }: UnfinishedPrompt): number {
  const later = next_attempt_at > claimed_until ? next_attempt_at : claimed_until;
  return later || (state === 'withdrawn' ? settled_at + POSTING_GRACE_MS : settled_at);
}

/** The settling write claims the audit post too, so that its writer finishes without another one. */
function settled(prompt: OpenPrompt, outcome: Outcome, now: number): SettledPrompt {
  return { ...prompt, ...outcome, settled_at: now, claimed_until: now + CLAIM_MS };
}

function changeUnfinished(
  slot: Slot,
  prompt_id: string,
  change: (prompt: UnfinishedPrompt) => UnfinishedPrompt,
): Slot | undefined {
  if (!slot.outbox.some((prompt) => prompt.prompt_id === prompt_id)) return undefined;
  return { ...slot, outbox: slot.outbox.map((prompt) => (prompt.prompt_id === prompt_id ? change(prompt) : prompt)) };
}

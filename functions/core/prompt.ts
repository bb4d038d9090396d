import * as z from 'zod';
import type { Item } from '#core/item.ts';

/** The three kinds of the contract; `text` is reserved there and works here. */
export const kindSchema = z.enum(['approval', 'ask_user_question', 'text']);
export type Kind = z.infer<typeof kindSchema>;

export type Option = { label: string; description?: string | null; [field: string]: unknown };
export type Question = {
  question: string;
  multiSelect?: boolean | null;
  options?: Option[] | null;
  [field: string]: unknown;
};

/** One question's answer: its labels, or the person's own words, as strings. */
export type Answer = { question: string; answer: string[] };

/** What a raise says of its prompt; the same before and after it is settled. */
type PromptBase = {
  prompt_id: string;
  kind: Kind;
  questions: Question[];
  request_id: string;
  /** The runner's own data, handed back as it came. */
  session?: unknown;
  /** When given, only these users answer (decisions.md A6). */
  allowed_user_ids?: string[];
  /** Milliseconds of our clock; for ages and for how far back to look, never for order. */
  raised_at: number;
};

/** Recorded, and on its way to the thread. Internal: outside there are only pending, answered and cancelled. */
export type PostingPrompt = PromptBase & {
  state: 'posting';
  /** Milliseconds; until then the raise that wrote it is at work and nobody else posts. */
  claimed_until: number;
};

export type OpenPrompt = PromptBase & {
  state: 'open';
  /** The posted `pending_prompt` item and the host's stamp on it; only later items answer (A1). */
  item_id: string;
  posted_at: string;
  /** Adopted from the thread, and the user items after it are still to be put on the queue again (P10). */
  replay?: true;
};

/** Given up while nobody knew whether the host had it; found on the thread later, it becomes cancelled. */
export type WithdrawnPrompt = PromptBase & { state: 'withdrawn' } & Progress;

export type Outcome =
  | { state: 'answered'; answers: Answer[]; answered_by: AnsweredBy; item?: Item }
  | { state: 'cancelled'; reason: string };
export type AnsweredBy = { item_id: string; user_id: string; created_at: string };

/** How far the steps after a settlement are (notify, audit); times in milliseconds of our clock. */
type Progress = {
  settled_at: number;
  notified_at?: number;
  /** Until then one worker is posting the audit item and nobody else does: the host has no idempotency key. */
  claimed_until?: number;
  /** When a post of the audit item was given up that the host may still carry out. */
  audit_unknown_at?: number;
  /** Not tried again before. */
  next_attempt_at?: number;
  acked_at?: number;
};
/** A settled prompt keeps where its question stands on the thread: the audit item is looked for only after that. */
export type SettledPrompt = PromptBase & { item_id: string; posted_at: string } & Outcome & Progress;

export type ActivePrompt = PostingPrompt | OpenPrompt;
export type UnfinishedPrompt = SettledPrompt | WithdrawnPrompt;

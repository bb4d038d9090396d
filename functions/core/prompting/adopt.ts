import * as z from 'zod';
import { isLater } from '#core/instant.ts';
import { type Item, metadataField, ownField } from '#core/item.ts';
import { type Answer, kindSchema, type OpenPrompt, type Outcome, type SettledPrompt } from '#core/prompt.ts';
import { isPromptId } from '#core/prompt-id.ts';
import { CLAIM_MS, type Slot, SUPERSEDED } from '#core/prompting/slot.ts';

/** What one of our own items says of its prompt: it asks it, or tells its outcome (decisions.md P10). */
export type OwnItemOnThread =
  | { tells: 'question'; prompt: OpenPrompt }
  | { tells: 'outcome'; prompt_id: string; outcome: Outcome };

const questionSchema = z.object({
  prompt_id: z.string().refine(isPromptId),
  kind: kindSchema,
  questions: z.array(z.looseObject({ question: z.string() })).min(1),
  request_id: z.string().optional(),
  allowed_user_ids: z.array(z.string()).min(1).optional(),
});
const answersSchema = z.array(z.object({ question: z.string(), answer: z.array(z.string()) }));

/** Reads an item that the runner's own user posted; anybody else's says nothing, whatever it looks like. */
export function readOwnItem(item: Item, ownUserId: string, now: number): OwnItemOnThread | undefined {
  if (item.user_id !== ownUserId) return undefined;
  const prompt = metadataField(item, 'prompt');
  const type = metadataField(item, 'type');
  if (type === 'pending_prompt') return readQuestion(item, prompt, now);
  return type === 'pending_prompt_resolved' ? readOutcome(item, prompt) : undefined;
}

function readQuestion(item: Item, posted: unknown, now: number): OwnItemOnThread | undefined {
  if (!questionSchema.safeParse(posted).success) return undefined;
  const { prompt_id, kind, questions, request_id, allowed_user_ids } = posted as OpenPrompt;
  const prompt: OpenPrompt = {
    prompt_id,
    kind,
    questions,
    // Unknown where an older deployment posted it; a raise with the same request still finds it by its id (P1).
    request_id: request_id ?? '',
    ...(allowed_user_ids && { allowed_user_ids }),
    raised_at: now,
    state: 'open',
    item_id: item.id,
    posted_at: item.created_at,
  };
  return { tells: 'question', prompt };
}

/** The audit item holds no answering item; it stands in for it, so that the agent can be pointed to something. */
function readOutcome(item: Item, prompt: unknown): OwnItemOnThread | undefined {
  const prompt_id = ownField(prompt, 'prompt_id');
  if (typeof prompt_id !== 'string') return undefined;
  const answers = ownField(prompt, 'answers');
  const reason = ownField(prompt, 'reason');
  const { id, user_id, created_at } = item;
  const outcome: Outcome = answersSchema.safeParse(answers).success
    ? { state: 'answered', answers: answers as Answer[], answered_by: { item_id: id, user_id, created_at }, item }
    : { state: 'cancelled', reason: typeof reason === 'string' ? reason : 'cancelled' };
  return { tells: 'outcome', prompt_id, outcome };
}

/**
 * A question on the thread that nobody resolved, unless it is known here after all: another attach adopted it, and it may
 * be answered by now. One that is older than the active prompt is superseded by it (P5).
 */
export function adopt(
  slot: Slot,
  past: { prompt_id: string } | undefined,
  prompt: OpenPrompt,
  isNewest: boolean,
  now: number,
): Slot | undefined {
  const { active } = slot;
  if ([active, ...slot.outbox, past].some((known) => known?.prompt_id === prompt.prompt_id)) return undefined;
  const isOlder = active && (active.state === 'posting' || isLater(active.posted_at, prompt.posted_at));
  return isNewest && !isOlder ? adoptOpen(slot, prompt, now) : adoptSuperseded(slot, prompt, now);
}

/** The newest question of the thread that nobody resolved is the active prompt again; one before it is superseded. */
export function adoptOpen(slot: Slot, prompt: OpenPrompt, now: number): Slot | undefined {
  if (slot.active?.state === 'posting' || slot.active?.prompt_id === prompt.prompt_id) return undefined;
  const older = slot.active && superseded(slot.active, now);
  return { ...slot, active: { ...prompt, replay: true }, outbox: older ? [...slot.outbox, older] : slot.outbox };
}

/** An older question that nobody resolved: the runner is told, and its audit item is owed. */
export function adoptSuperseded(slot: Slot, prompt: OpenPrompt, now: number): Slot | undefined {
  const isKnown = [slot.active, ...slot.outbox].some((known) => known?.prompt_id === prompt.prompt_id);
  return isKnown ? undefined : { ...slot, outbox: [...slot.outbox, superseded(prompt, now)] };
}

/** The thread tells an outcome that a restored table has forgotten; the agent was told before the thread was (I3). */
export function adoptOutcome(slot: Slot, prompt_id: string, outcome: Outcome, now: number): Slot | undefined {
  if (slot.active?.prompt_id !== prompt_id || slot.active.state !== 'open') return undefined;
  const { active, ...rest } = slot;
  const prompt: SettledPrompt = { ...active, ...outcome, settled_at: now, notified_at: now };
  return { ...rest, outbox: [...slot.outbox, prompt] };
}

/** The user items after an adopted question are on the queue again. */
export function endReplay(slot: Slot, prompt_id: string): Slot | undefined {
  if (slot.active?.prompt_id !== prompt_id || slot.active.state !== 'open' || !slot.active.replay) return undefined;
  const { replay, ...active } = slot.active;
  return { ...slot, active };
}

function superseded(prompt: OpenPrompt, now: number): SettledPrompt {
  return { ...prompt, state: 'cancelled', reason: SUPERSEDED, settled_at: now, claimed_until: now + CLAIM_MS };
}

import { bareItem, type Item } from '#core/item.ts';
import type { Ports } from '#core/ports.ts';
import type { AnsweredBy, SettledPrompt, UnfinishedPrompt } from '#core/prompt.ts';
import { CLAIM_MS, dropFinished, markOwed, markUnfinished, type Slot } from '#core/prompting/slot.ts';
import { outcomeMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { auditPrompt } from '#settlement/audit.ts';
import { retryDelayMs } from '#settlement/back-off.ts';
import { changeSlot } from '#settlement/change-slot.ts';
import { lookForLateLanding } from '#settlement/late-landing.ts';

/** A thread belongs to this runner until one raised or attached with its name (interface.md 3). */
export const DEFAULT_RUNNER = 'default';

/** What the caller has at hand; without it, it is read. */
export type Known = {
  slot?: Slot;
  /** The answering item. */
  item?: Item;
  /** The settlement's own write claimed the audit post for this caller, and nobody can have tried it before. */
  justSettled?: boolean;
};

/**
 * Protocol step 7: notify the runner, post the audit item, keep history and receipt, drop. Every step is idempotent, so
 * anyone may call this at any time; what cannot be finished now is left marked for redelivery, reconciler and attach.
 * @throws where the runner could not be told, which is recorded: the answer's message must come again, before anything
 * later on this thread
 */
export async function finishPrompt(ports: Ports, thread: Thread, prompt_id: string, known: Known = {}): Promise<void> {
  const slot = known.slot ?? (await ports.store.read(thread)).slot;
  const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === prompt_id);
  if (!prompt) return;
  if (prompt.state === 'withdrawn') {
    const late = await lookForLateLanding(ports, thread, slot, prompt);
    if (late === 'past') return endPrompt(ports, thread, prompt_id, undefined, 'withdrawn');
    return late && finishPrompt(ports, thread, prompt_id, { slot: late });
  }

  if (prompt.notified_at === undefined) await notifyRunner(ports, thread, slot, prompt, known);
  if (known.justSettled) return auditAndEnd(ports, thread, slot, prompt, true);

  const now = ports.clock.now();
  // The host has no idempotency key: two workers that post one audit item would make two of them (I2).
  if ((prompt.claimed_until ?? 0) > now) return;
  // A claim that ran out unended is a worker that died in its post, perhaps: that post may still land.
  const { claimed_until: unended } = prompt;
  const mark = {
    notified_at: now,
    claimed_until: now + CLAIM_MS,
    ...(unended !== undefined && { audit_unknown_at: unended }),
  };
  const claimed = markUnfinished(slot, prompt_id, mark);
  if (!claimed || !(await ports.store.save(thread, claimed))) return; // the one who won the write goes on
  const mine = { ...claimed, rev: slot.rev + 1 };
  await auditAndEnd(ports, thread, mine, { ...prompt, ...mark }, false);
}

/** For a caller whose own work is done: what cannot be finished now is left to the reconciler. */
export async function finishOrLeave(ports: Ports, thread: Thread, prompt_id: string, known: Known = {}): Promise<void> {
  try {
    await finishPrompt(ports, thread, prompt_id, known);
  } catch (error) {
    ports.telemetry.failure('left_unfinished', error, { prompt_id });
  }
}

async function notifyRunner(
  ports: Ports,
  thread: Thread,
  slot: Slot,
  prompt: SettledPrompt,
  { item, justSettled }: Known,
): Promise<void> {
  try {
    const answering =
      prompt.state === 'answered'
        ? (item ?? prompt.item ?? (await readAgain(ports, thread, prompt.answered_by)))
        : undefined;
    await ports.runnerQueues.send(slot.runner ?? DEFAULT_RUNNER, outcomeMessage(thread, prompt, answering));
  } catch (error) {
    const { prompt_id, settled_at } = prompt;
    ports.telemetry.info('runner_not_told', { prompt_id }, { NotifyFailure: 1 });
    // Else an answer on its way to nobody would look like an open question to the reconciler and its gauges.
    const now = ports.clock.now();
    const mark = { next_attempt_at: now + retryDelayMs(now - settled_at) };
    const mine = justSettled ? prompt.claimed_until : undefined;
    await changeSlot(ports, thread, (seen) => markOwed(seen, prompt_id, mark, mine, now), slot);
    throw error;
  }
}

/** An answering item too large for the record is on the thread; if it was deleted there, its answers are still whole. */
export async function readAgain({ threadHost }: Ports, thread: Thread, by: AnsweredBy): Promise<Item> {
  const { item_id, user_id, created_at } = by;
  return (await threadHost.get(thread, item_id)) ?? bareItem({ id: item_id, user_id, created_at });
}

async function auditAndEnd(
  ports: Ports,
  thread: Thread,
  slot: Slot,
  prompt: SettledPrompt,
  first: boolean,
): Promise<void> {
  const { prompt_id, settled_at } = prompt;
  const audited = await auditPrompt(ports, thread, prompt, first);
  if (audited.done) return endPrompt(ports, thread, prompt_id, slot);
  const { why, audit_unknown_at, not_before } = audited;
  ports.telemetry.info('audit_owed', { prompt_id, why }, { AuditFailure: 1 });
  const now = ports.clock.now();
  const mark = {
    notified_at: now,
    next_attempt_at: not_before ?? now + retryDelayMs(now - settled_at),
    ...(audit_unknown_at !== undefined && { audit_unknown_at }),
  };
  await changeSlot(ports, thread, (seen) => markOwed(seen, prompt_id, mark, prompt.claimed_until ?? 0, now), slot);
}

/** Nothing is owed any more: history and receipt first, so that the prompt is known in one place at every moment. */
export async function endPrompt(
  ports: Ports,
  thread: Thread,
  prompt_id: string,
  seen?: Slot,
  onlyAs?: UnfinishedPrompt['state'],
): Promise<void> {
  for (let known = seen; ; known = undefined) {
    const slot = known ?? (await ports.store.read(thread)).slot;
    const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === prompt_id);
    const dropped = dropFinished(slot, prompt_id);
    // It may have landed since it was looked for, and be owed an audit item now.
    if (!prompt || !dropped || (onlyAs && prompt.state !== onlyAs)) return;
    await ports.store.keep(thread, prompt);
    if (await ports.store.save(thread, dropped)) return;
  }
}

import { LostRaceError } from '#core/errors.ts';
import type { Ports } from '#core/ports.ts';
import type { WithdrawnPrompt } from '#core/prompt.ts';
import { cancelLateLanding, markOwed, POSTING_GRACE_MS, type Posted, type Slot } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { retryDelayMs } from '#settlement/back-off.ts';
import { changeSlot } from '#settlement/change-slot.ts';
import { findQuestion } from '#settlement/question.ts';

/**
 * A question given up while its post might still land (P7) is looked for once more. On the thread, it is cancelled.
 * @returns the slot where it was cancelled, 'past' where it did not land in time, and `undefined` to look again later
 */
export async function lookForLateLanding(
  ports: Ports,
  thread: Thread,
  slot: Slot,
  prompt: WithdrawnPrompt,
): Promise<Slot | 'past' | undefined> {
  const posted = await findQuestion(ports, thread, prompt).catch(() => 'unknown' as const);
  if (typeof posted === 'object') return closeLateLanding(ports, thread, slot, prompt, posted);
  const now = ports.clock.now();
  const givenUpFor = now - prompt.settled_at;
  if (posted === undefined && givenUpFor >= POSTING_GRACE_MS) return 'past';
  const mark = { next_attempt_at: now + retryDelayMs(givenUpFor) };
  await changeSlot(ports, thread, (seen) => markOwed(seen, prompt.prompt_id, mark, undefined, now), slot);
  return undefined;
}

/**
 * The question is on the thread though its raise was told that it could not be asked: nobody waits for its answer.
 * @param slot read together with `prompt`: a later one might know more of it
 * @throws LostRaceError to have it tried again from fresh state
 */
export async function closeLateLanding(
  ports: Ports,
  thread: Thread,
  slot: Slot,
  prompt: WithdrawnPrompt,
  posted: Posted,
): Promise<Slot | undefined> {
  await ports.store.putReceipt(thread, posted.item_id, { use: 'prompt', prompt_id: prompt.prompt_id });
  const cancelled = cancelLateLanding(slot, prompt, posted, ports.clock.now());
  if (!cancelled) return undefined;
  if (!(await ports.store.save(thread, cancelled))) throw new LostRaceError('the thread changed meanwhile');
  return { ...cancelled, rev: slot.rev + 1 };
}

import type { Ports } from '#core/ports.ts';
import type { PostingPrompt, UnfinishedPrompt } from '#core/prompt.ts';
import { markOwed, postingDueAt, promptDueAt } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { retryDelayMs } from '#settlement/back-off.ts';
import { changeSlot } from '#settlement/change-slot.ts';
import { finishPrompt } from '#settlement/finish-prompt.ts';
import { confirmPosting, withdrawQuestion } from '#settlement/question.ts';

/** Finishes what a crash or an outage left on one thread: the reconciler's work, and done by every attach first. */
export async function reconcileThread(ports: Ports, thread: Thread): Promise<void> {
  const { slot } = await ports.store.read(thread);
  const now = ports.clock.now();
  if (slot.active?.state === 'posting' && postingDueAt(slot.active) <= now) {
    await settleLeftPosting(ports, thread, slot.active);
  }
  for (const prompt of slot.outbox) {
    if (promptDueAt(prompt) <= now) await finishLeft(ports, thread, prompt);
  }
}

/** A raise that ended between its write and the end of its post: opened if it is on the thread, else withdrawn (P7). */
async function settleLeftPosting(ports: Ports, thread: Thread, posting: PostingPrompt): Promise<void> {
  const { prompt_id } = posting;
  try {
    if (await confirmPosting(ports, thread, posting)) return;
  } catch (error) {
    // Withdrawn all the same: items of the thread wait for it, and it is watched for.
    ports.telemetry.failure('posting_not_found', error, { prompt_id });
  }
  await withdrawQuestion(ports, thread, posting, true);
  ports.telemetry.info('posting_withdrawn', { prompt_id }, { PromptUnavailable: 1 });
}

async function finishLeft(ports: Ports, thread: Thread, prompt: UnfinishedPrompt): Promise<void> {
  const { prompt_id } = prompt;
  try {
    await finishPrompt(ports, thread, prompt_id);
  } catch (error) {
    ports.telemetry.failure('still_unfinished', error, { prompt_id }, { NotifyFailure: 1 });
    const now = ports.clock.now();
    const mark = { next_attempt_at: now + retryDelayMs(now - prompt.settled_at) };
    await changeSlot(ports, thread, (slot) => markOwed(slot, prompt_id, mark, undefined, now));
  }
}

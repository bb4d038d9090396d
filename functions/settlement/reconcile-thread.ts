import type { Ports } from '#core/ports.ts';
import type { PostingPrompt } from '#core/prompt.ts';
import { postingDueAt, promptDueAt } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { finishOrLeave } from '#settlement/finish-prompt.ts';
import { confirmPosting, withdrawQuestion } from '#settlement/question.ts';

/** Finishes what a crash or an outage left on one thread: the reconciler's work, and done by every attach first. */
export async function reconcileThread(ports: Ports, thread: Thread): Promise<void> {
  const { slot } = await ports.store.read(thread);
  const now = ports.clock.now();
  if (slot.active?.state === 'posting' && postingDueAt(slot.active) <= now) {
    await settleLeftPosting(ports, thread, slot.active);
  }
  for (const prompt of slot.outbox) {
    if (promptDueAt(prompt) <= now) await finishOrLeave(ports, thread, prompt.prompt_id);
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

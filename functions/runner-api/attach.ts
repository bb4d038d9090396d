import { ThreadUnreadableError } from '#core/errors.ts';
import type { Ports } from '#core/ports.ts';
import type { SettledPrompt } from '#core/prompt.ts';
import { promptView } from '#core/prompt-view.ts';
import type { Slot } from '#core/prompting/slot.ts';
import { outcomeMessage, type RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { adoptThread } from '#settlement/adopt-thread.ts';
import { changeSlot } from '#settlement/change-slot.ts';
import { readAgain } from '#settlement/finish-prompt.ts';
import { reconcileThread } from '#settlement/reconcile-thread.ts';
import { type CallAnswer, refusal } from './call.ts';

/** What a runner that (re)starts on a thread needs: the open prompt, and outcomes nobody acknowledged (P10). */
export async function attach(ports: Ports, thread: Thread, runner: string | undefined): Promise<CallAnswer> {
  if (runner !== undefined) await changeSlot(ports, thread, (slot) => assign(slot, runner));
  const isUpToDate = await bringUpToDate(ports, thread);
  const { slot } = await ports.store.read(thread);
  if (isUpToDate === 'half done' || (isUpToDate === 'unreadable' && slot.rev === 0)) return NOT_UP_TO_DATE;
  const open = slot.active?.state === 'open' ? promptView(slot.active) : null;
  try {
    return { status: 200, answer: { open, unacknowledged: await unacknowledged(ports, thread, slot) } };
  } catch (error) {
    ports.telemetry.failure('outcomes_unreadable', error, {});
    return NOT_UP_TO_DATE;
  }
}

/** Told `open: null` here, or an answer without its item, a runner would go on with less than there is. */
const NOT_UP_TO_DATE = refusal(
  503,
  'thread_host_unavailable',
  'What is open or unacknowledged on this thread cannot be told now, as it could not be read to its end: attach again.',
);

/** Adopts what only the thread knows and finishes what is owed. */
async function bringUpToDate(ports: Ports, thread: Thread): Promise<'done' | 'unreadable' | 'half done'> {
  try {
    await adoptThread(ports, thread);
    await reconcileThread(ports, thread);
    return 'done';
  } catch (error) {
    ports.telemetry.failure('thread_not_adopted', error, {});
    return error instanceof ThreadUnreadableError ? 'unreadable' : 'half done';
  }
}

function assign(slot: Slot, runner: string): Slot | undefined {
  return slot.runner === runner ? undefined : { ...slot, runner };
}

/** A prompt leaves the slot only after it was put into the history: read in this order, none is missed. */
async function unacknowledged(ports: Ports, thread: Thread, slot: Slot): Promise<RunnerMessage[]> {
  const unfinished = slot.outbox.filter((prompt) => prompt.state !== 'withdrawn');
  const past = await ports.store.unacknowledged(thread);
  const byId = new Map([...past, ...unfinished].map((prompt) => [prompt.prompt_id, prompt]));
  const waiting = [...byId.values()].filter((prompt) => prompt.acked_at === undefined);
  waiting.sort((a, b) => a.settled_at - b.settled_at);
  return Promise.all(waiting.map((prompt) => messageOf(ports, thread, prompt)));
}

async function messageOf(ports: Ports, thread: Thread, prompt: SettledPrompt): Promise<RunnerMessage> {
  if (prompt.state === 'cancelled') return outcomeMessage(thread, prompt, undefined);
  return outcomeMessage(thread, prompt, prompt.item ?? (await readAgain(ports, thread, prompt.answered_by)));
}

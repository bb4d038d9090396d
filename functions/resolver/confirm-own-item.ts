import type { Item } from '#core/item.ts';
import type { Ports, StoredThread } from '#core/ports.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import type { Thread } from '#core/thread.ts';
import { endPrompt, finishPrompt } from '#settlement/finish-prompt.ts';
import { closeLateLanding } from '#settlement/late-landing.ts';
import { openQuestion } from '#settlement/question.ts';

/** Our own `pending_prompt` came back: its prompt is on the thread, whoever still waits to hear of it (protocol 3). */
export async function confirmPosted(ports: Ports, thread: Thread, prompt_id: string, item: Item, state: StoredThread) {
  const posted = { item_id: item.id, posted_at: item.created_at };
  const { active, outbox } = state.slot;
  if (outbox.some((prompt) => prompt.prompt_id === prompt_id && prompt.state !== 'withdrawn')) return;
  if (active?.prompt_id === prompt_id) {
    if (active.state === 'posting') await openQuestion(ports, thread, prompt_id, posted);
    return;
  }
  // Its raise may have given it up meanwhile: then it is in the outbox, or past.
  const known = await ports.store.read(thread, { requestKey: requestKeyOf(prompt_id) });
  const late = [...known.slot.outbox, known.past].find((prompt) => prompt?.prompt_id === prompt_id);
  if (late?.state !== 'withdrawn') return;
  const slot = await closeLateLanding(ports, thread, known.slot, late, posted);
  if (slot) await finishPrompt(ports, thread, prompt_id, { slot });
}

/** Our own audit item came back: it needs no posting any more. A worker that is at it ends the prompt itself. */
export async function confirmAudited(ports: Ports, thread: Thread, prompt_id: string, { slot }: StoredThread) {
  const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === prompt_id);
  if (!prompt || prompt.state === 'withdrawn' || (prompt.claimed_until ?? 0) > ports.clock.now()) return;
  await endPrompt(ports, thread, prompt_id, slot);
}

import type { Ports } from '#core/ports.ts';
import { isPromptId, requestKeyOf } from '#core/prompt-id.ts';
import { acknowledge } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { changeSlot } from '#settlement/change-slot.ts';
import { type CallAnswer, refusal, UNKNOWN_PROMPT } from './call.ts';
import { findPrompt } from './find-prompt.ts';

/** The agent has the outcome: attach returns it no more. Saying so again changes nothing. */
export async function acknowledgePrompt(ports: Ports, thread: Thread, prompt_id: string): Promise<CallAnswer> {
  if (!isPromptId(prompt_id)) return UNKNOWN_PROMPT;
  const state = await ports.store.read(thread, { requestKey: requestKeyOf(prompt_id) });
  const prompt = findPrompt(state, prompt_id);
  if (!prompt || prompt.state === 'withdrawn') return UNKNOWN_PROMPT;
  if (prompt.state === 'posting' || prompt.state === 'open') {
    return refusal(409, 'no_outcome_yet', 'The prompt is still open: there is no outcome to acknowledge.');
  }
  const now = ports.clock.now();
  const isUnfinished = await changeSlot(ports, thread, (slot) => acknowledge(slot, prompt_id, now), state.slot);
  if (!isUnfinished) await ports.store.acknowledge(thread, prompt, now);
  return { status: 204 };
}

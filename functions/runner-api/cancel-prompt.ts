import type { Ports } from '#core/ports.ts';
import { isPromptId, requestKeyOf } from '#core/prompt-id.ts';
import { promptView } from '#core/prompt-view.ts';
import { settle } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { finishOrLeave } from '#settlement/finish-prompt.ts';
import { confirmPosting } from '#settlement/question.ts';
import { CALL_BUDGET_MS, type CallAnswer, PAUSE_MS, UNKNOWN_PROMPT, unavailable } from './call.ts';
import { findPrompt } from './find-prompt.ts';
import { shownPrompt } from './shown-prompt.ts';

/** Protocol step 8: a settlement like an answer's, so one of them wins for ever; the loser is told what won (P6). */
export async function cancelPrompt(
  ports: Ports,
  thread: Thread,
  prompt_id: string,
  reason: string,
): Promise<CallAnswer> {
  if (!isPromptId(prompt_id)) return UNKNOWN_PROMPT;
  const giveUpAt = ports.clock.now() + CALL_BUDGET_MS;
  for (;;) {
    const state = await ports.store.read(thread, { requestKey: requestKeyOf(prompt_id) });
    const prompt = findPrompt(state, prompt_id);
    if (!prompt || prompt.state === 'withdrawn') return UNKNOWN_PROMPT;
    if (prompt.state === 'posting') {
      if (ports.clock.now() > giveUpAt) return unavailable('the question is still being posted');
      if (!(await confirmPosting(ports, thread, prompt).catch(() => false))) await ports.clock.wait(PAUSE_MS);
      continue;
    }
    if (prompt.state !== 'open') return { status: 200, answer: { prompt: await shownPrompt(ports, thread, prompt) } };

    const settled = settle(state.slot, prompt_id, { state: 'cancelled', reason }, ports.clock.now());
    if (!settled || !(await ports.store.save(thread, settled))) continue;
    await finishOrLeave(ports, thread, prompt_id, { slot: { ...settled, rev: settled.rev + 1 }, justSettled: true });
    ports.telemetry.info('prompt_cancelled', { prompt_id }, { PromptCancelled: 1 });
    return { status: 200, answer: { prompt: { ...promptView(prompt), prompt_state: 'cancelled', reason } } };
  }
}

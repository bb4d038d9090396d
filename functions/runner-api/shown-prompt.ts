import type { Ports } from '#core/ports.ts';
import type { ActivePrompt, SettledPrompt } from '#core/prompt.ts';
import { promptView } from '#core/prompt-view.ts';
import type { Thread } from '#core/thread.ts';
import { readAgain } from '#settlement/finish-prompt.ts';

/**
 * A prompt as the runner API shows it; an answered one with the item that answered it, so that who asks again has what the
 * queue told before (decisions.md A8). Without it where the record has not kept it and the host is away.
 */
export async function shownPrompt(ports: Ports, thread: Thread, prompt: ActivePrompt | SettledPrompt) {
  const view = promptView(prompt);
  if (prompt.state !== 'answered') return view;
  const item = prompt.item ?? (await readAgain(ports, thread, prompt.answered_by).catch(() => undefined));
  return { ...view, ...(item && { item }) };
}

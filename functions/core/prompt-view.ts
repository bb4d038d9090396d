import type { ActivePrompt, SettledPrompt } from '#core/prompt.ts';

/** A prompt as the runner API shows it (interface.md 2): answers or a reason, never both. */
export function promptView(prompt: ActivePrompt | SettledPrompt) {
  const { prompt_id, kind, questions, request_id, session } = prompt;
  return {
    prompt_id,
    kind,
    prompt_state: prompt.state === 'answered' || prompt.state === 'cancelled' ? prompt.state : ('pending' as const),
    questions,
    request_id,
    ...(session !== undefined && { session }),
    ...(prompt.state !== 'posting' && { item_id: prompt.item_id }),
    ...(prompt.state === 'answered' && { answers: prompt.answers }),
    ...(prompt.state === 'cancelled' && { reason: prompt.reason }),
  };
}

import type { PastPrompt, StoredThread } from '#core/ports.ts';
import type { ActivePrompt, UnfinishedPrompt } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';

/** Wherever it stands now: active, in the outbox, or past. */
export type KnownPrompt = ActivePrompt | UnfinishedPrompt | PastPrompt;

/** The prompt that a request raised. The slot goes before the history, which may lag by a step. */
export function findByRequest({ slot, past }: StoredThread, requestKey: string): KnownPrompt | undefined {
  const known = [slot.active, ...slot.outbox, past].filter((prompt) => prompt !== undefined);
  return known.find((prompt) => requestKeyOf(prompt.prompt_id) === requestKey);
}

export function findPrompt(state: StoredThread, prompt_id: string): KnownPrompt | undefined {
  const found = findByRequest(state, requestKeyOf(prompt_id));
  return found?.prompt_id === prompt_id ? found : undefined;
}

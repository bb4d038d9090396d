import type { Item } from '#core/item.ts';
import type { Answer, Kind, SettledPrompt } from '#core/prompt.ts';
import type { Thread } from '#core/thread.ts';

/** What the agent runner's queue carries (interface.md 3): delivered at least once, repeats dropped by `message_id`. */
export type RunnerMessage = PromptAnswered | PromptCancelled | NextTurn;

type Outcome<State, Fields> = {
  message_id: string;
  thread: Thread;
  request_id: string;
  session?: unknown;
  prompt: { prompt_id: string; kind: Kind; prompt_state: State } & Fields;
};
export type PromptAnswered = Outcome<'answered', { answers: Answer[] }> & { type: 'prompt_answered'; item: Item };
export type PromptCancelled = Outcome<'cancelled', { reason: string }> & { type: 'prompt_cancelled' };
export type NextTurn = { message_id: string; type: 'next_turn'; thread: Thread; item: Item; stale_for?: string };

/** The outcome of a settled prompt. `item` is the answering item (decisions.md A8): read again where it was not kept. */
export function outcomeMessage(thread: Thread, prompt: SettledPrompt, item: Item | undefined): RunnerMessage {
  const { prompt_id, kind, request_id, session } = prompt;
  const base = { thread, request_id, ...(session !== undefined && { session }) };
  if (prompt.state === 'cancelled') {
    return {
      message_id: `${prompt_id}.cancelled`,
      type: 'prompt_cancelled',
      ...base,
      prompt: { prompt_id, kind, prompt_state: 'cancelled', reason: prompt.reason },
    };
  }
  if (!item) throw new Error(`the answering item of ${prompt_id} is not at hand`);
  return {
    message_id: `${prompt_id}.answered`,
    type: 'prompt_answered',
    ...base,
    prompt: { prompt_id, kind, prompt_state: 'answered', answers: prompt.answers },
    item,
  };
}

/** One inbound item as (a part of) the agent's next turn. */
export function nextTurnMessage(thread: Thread, item: Item, staleFor: string | undefined): NextTurn {
  return {
    message_id: `${item.id}.turn`,
    type: 'next_turn',
    thread,
    item,
    ...(staleFor !== undefined && { stale_for: staleFor }),
  };
}

import type { SettledPrompt } from '#core/prompt.ts';
import type { Configuration } from './configuration.ts';
import { audits, recorded, usesOf, type Violation, violation } from './invariants.ts';
import { isSettled, outcomeOf } from './outcome.ts';
import { positionOf, promptOf, typeOf } from './scenario.ts';
import type { State } from './state.ts';

/** I9, I10, I18: what must hold once nothing is due any more, however it came to that. */
export function violatedAtRest(state: State, { faults }: Configuration): Violation | undefined {
  // A table that was lost remembers nothing, and items that came before it was rebuilt found no open prompt.
  if (faults.tableLost) return nothingOwed(state) ?? everyQuestionClosed(state) ?? runnerKnows(state);
  return (
    nothingOwed(state) ??
    tableRemembers(state) ??
    nothingLost(state) ??
    everyQuestionClosed(state) ??
    runnerKnows(state)
  );
}

function nothingOwed({ slot }: State): Violation | undefined {
  const [owed] = slot.outbox;
  if (owed) return violation('I10', `${owed.prompt_id} is ${outcomeOf(owed)} and nobody finishes it`);
  if (slot.active?.state === 'posting') return violation('I10', `${slot.active.prompt_id} is being posted for ever`);
}

/** I1: what the runner was told is what the table says for good. */
function tableRemembers(state: State): Violation | undefined {
  const known = new Set(recorded(state).map((prompt) => `${prompt.prompt_id}=${outcomeOf(prompt)}`));
  const forgotten = state.runner.told.find((outcome) => !known.has(outcome));
  if (forgotten) return violation('I1', `the runner was told ${forgotten}, the table does not say so`);
}

function nothingLost(state: State): Violation | undefined {
  const uses = usesOf(state);
  for (const item of state.thread) {
    if (typeOf(item) !== undefined || uses.has(item.id) || state.runner.ignored.includes(item.id)) continue;
    return violation('I10', `${item.id} is lost`);
  }
  return passedOver(state);
}

/** A2, A3: the first item after an open question is its answer; one asked twice may have been deaf in between. */
function passedOver({ slot, thread, runner: { turns, raises } }: State): Violation | undefined {
  const { active } = slot;
  if (active?.state !== 'open' || active.allowed_user_ids || raises.some(({ attempts }) => attempts > 1))
    return undefined;
  const item_id = turns.find((turn) => positionOf(turn) > positionOf(active.item_id));
  const item = thread.find(({ id }) => id === item_id);
  if (!item || item.metadata !== undefined || item.parent_id !== undefined) return undefined;
  return violation('A2', `${item.id} came after ${active.prompt_id} and was passed over`);
}

function everyQuestionClosed(state: State): Violation | undefined {
  const closed = new Set(audits(state).map(promptOf));
  for (const item of state.thread) {
    const prompt_id = promptOf(item);
    if (typeOf(item) !== 'pending_prompt' || closed.has(prompt_id) || state.slot.active?.prompt_id === prompt_id)
      continue;
    return violation('I10', `${prompt_id} stands on the thread, neither open nor resolved`);
  }
}

function runnerKnows(state: State): Violation | undefined {
  for (const prompt of recorded(state)) {
    if (!isSettled(outcomeOf(prompt))) continue;
    const { prompt_id, acked_at } = prompt as SettledPrompt;
    if (!state.runner.told.includes(`${prompt_id}=${outcomeOf(prompt)}`))
      return violation('I10', `${prompt_id} was never told`);
    if (state.runner.acked.includes(prompt_id) && acked_at === undefined)
      return violation('I18', `the ack of ${prompt_id} is forgotten`);
    if (!state.runner.knows.includes(prompt_id))
      return violation('I18', `the restarted runner does not know of ${prompt_id}`);
  }
}

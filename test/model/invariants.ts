import { isLater } from '#core/instant.ts';
import type { Item } from '#core/item.ts';
import { metadataField, ownField } from '#core/item.ts';
import type { ActivePrompt, Answer, UnfinishedPrompt } from '#core/prompt.ts';
import { SUPERSEDED } from '#core/prompting/slot.ts';
import { OWN_USER } from '../support/given.ts';
import type { Configuration } from './configuration.ts';
import { answered, cancelled, isSettled, outcomeOf } from './outcome.ts';
import { positionOf, promptOf, requestOf, typeOf } from './scenario.ts';
import type { State } from './state.ts';

export type Violation = { invariant: string; what: string };

/** What must hold in every state. */
export function violated(state: State, configuration: Configuration): Violation | undefined {
  return (
    oneOutcome(state) ??
    oneAudit(state) ??
    toldBeforeAudit(state) ??
    oneUse(state) ??
    rightfulAnswers(state, configuration) ??
    oneQuestionPerRequest(state) ??
    askedAsKnown(state, configuration) ??
    supersededInOrder(state) ??
    unavailableIsNotOpen(state)
  );
}

export const violation = (invariant: string, what: string): Violation => ({ invariant, what });

/** The prompts of the table, wherever they stand. */
export const recorded = ({ slot, past }: State): (ActivePrompt | UnfinishedPrompt)[] => [
  ...(slot.active ? [slot.active] : []),
  ...slot.outbox,
  ...past.values(),
];

/** I1, I19: agent, audit, table and every caller agree on the one outcome of a prompt; it is never open again. */
function oneOutcome(state: State): Violation | undefined {
  const outcomes = new Map<string, string>();
  const said = [
    ...state.runner.told,
    ...state.runner.returned,
    ...audits(state).map((item) => `${promptOf(item)}=${auditOutcome(item)}`),
    ...recorded(state).map((prompt) => `${prompt.prompt_id}=${outcomeOf(prompt)}`),
  ];
  for (const entry of said) {
    const [prompt_id = '', outcome = ''] = entry.split('=');
    const known = outcomes.get(prompt_id) ?? outcome;
    if (isSettled(outcome)) outcomes.set(prompt_id, outcome);
    if (isSettled(outcome) && isSettled(known) && outcome !== known) {
      return violation('I1', `${prompt_id} is ${known} and ${outcome}`);
    }
  }
  const { active } = state.slot;
  const settled = active && outcomes.get(active.prompt_id);
  return settled && isSettled(settled)
    ? violation('I1', `${active.prompt_id} is ${active.state} after ${settled}`)
    : undefined;
}

export const audits = ({ thread }: State): Item[] =>
  thread.filter((item) => typeOf(item) === 'pending_prompt_resolved');

function auditOutcome(item: Item): string {
  const prompt = metadataField(item, 'prompt');
  const answers = ownField(prompt, 'answers') as Answer[] | undefined;
  return answers ? answered(answers) : cancelled(String(ownField(prompt, 'reason')));
}

/** I2 */
function oneAudit(state: State): Violation | undefined {
  const seen = new Set<string | undefined>();
  for (const item of audits(state)) {
    if (seen.has(promptOf(item))) return violation('I2', `${promptOf(item)} has two audit items`);
    seen.add(promptOf(item));
  }
}

/** I3; a cancelled prompt is held to the same order (P9). */
function toldBeforeAudit(state: State): Violation | undefined {
  for (const item of audits(state)) {
    const outcome = `${promptOf(item)}=${auditOutcome(item)}`;
    if (!state.runner.told.includes(outcome))
      return violation('I3', `the thread shows ${outcome}, the runner was not told`);
  }
}

/** I5 */
function oneUse(state: State): Violation | undefined {
  for (const [item_id, uses] of usesOf(state)) {
    if (uses.size > 1) return violation('I5', `${item_id} is ${[...uses].join(' and ')}`);
  }
}

export function usesOf(state: State): Map<string, Set<string>> {
  const uses = new Map<string, Set<string>>();
  const add = (item_id: string, use: string) => uses.set(item_id, (uses.get(item_id) ?? new Set()).add(use));
  for (const item_id of state.runner.turns) add(item_id, 'a next turn');
  for (const prompt of recorded(state)) {
    if (prompt.state === 'answered') add(prompt.answered_by.item_id, `the answer of ${prompt.prompt_id}`);
  }
  const byText = new Map(state.thread.map((item) => [`answered:${String(item.content[0]?.text)}`, item.id]));
  for (const entry of state.runner.told) {
    const [prompt_id, outcome = ''] = entry.split('=');
    const item_id = byText.get(outcome);
    if (item_id !== undefined) add(item_id, `the answer of ${prompt_id}`);
  }
  return uses;
}

/** I6 (A1), I8, A5, A6: who and what may answer, and what is a next turn. */
function rightfulAnswers(state: State, { allowedUsers }: Configuration): Violation | undefined {
  const own = state.runner.turns.find((item_id) => state.thread[positionOf(item_id)]?.user_id === OWN_USER);
  if (own !== undefined) return violation('I8', `our own ${own} is a next turn`);
  for (const prompt of recorded(state)) {
    if (prompt.state !== 'answered') continue;
    const { prompt_id, answered_by } = prompt;
    const position = positionOf(answered_by.item_id);
    const item = state.thread[position];
    const asked = state.thread.findIndex(
      (other) => typeOf(other) === 'pending_prompt' && promptOf(other) === prompt_id,
    );
    if (asked < 0 || asked > position)
      return violation('I6', `${answered_by.item_id} answers ${prompt_id}, posted later`);
    if (answered_by.user_id === OWN_USER) return violation('I8', `our own ${answered_by.item_id} answers ${prompt_id}`);
    if (allowedUsers && !allowedUsers.includes(answered_by.user_id))
      return violation('I8', `${prompt_id} answered by anybody`);
    const named = item && (metadataField(item, 'prompt_id') ?? promptNamedByReply(state, item));
    if (named !== undefined && named !== prompt_id) return violation('A5', `an item for ${named} answers ${prompt_id}`);
  }
}

function promptNamedByReply({ thread }: State, { parent_id }: Item): string | undefined {
  const parent = thread.find(({ id }) => id === parent_id);
  return parent && promptOf(parent);
}

/** P1: what one request puts on the thread, and what it is shown, is one prompt. */
function oneQuestionPerRequest(state: State): Violation | undefined {
  const byRequest = new Map<number, string>();
  const shown = state.runner.raises.flatMap(({ answer }) => (typeof answer === 'object' ? [answer.prompt_id] : []));
  const asked = state.thread.flatMap((item) => (typeOf(item) === 'pending_prompt' ? [promptOf(item) ?? ''] : []));
  for (const prompt_id of [...shown, ...asked]) {
    const other = byRequest.get(requestOf(prompt_id));
    if (other !== undefined && other !== prompt_id)
      return violation('P1', `one request raised ${other} and ${prompt_id}`);
    byRequest.set(requestOf(prompt_id), prompt_id);
  }
}

/** P7: where every post ends with its process, a prompt is asked once, and is not given up where it stands. */
function askedAsKnown(state: State, { faults }: Configuration): Violation | undefined {
  if (faults.lostPost || faults.latePost || faults.cutPost || faults.unreadable) return undefined;
  const asked = state.thread.flatMap((item) => (typeOf(item) === 'pending_prompt' ? [promptOf(item) ?? ''] : []));
  const twice = asked.find((prompt_id, position) => asked.indexOf(prompt_id) < position);
  if (twice) return violation('P7', `${twice} stands on the thread twice`);
  const givenUp = recorded(state).find((prompt) => prompt.state === 'withdrawn' && asked.includes(prompt.prompt_id));
  if (givenUp) return violation('P7', `${givenUp.prompt_id} is given up and stands on the thread`);
}

/** P5, P10: a question is superseded by a later one. */
function supersededInOrder(state: State): Violation | undefined {
  const { active } = state.slot;
  if (active?.state !== 'open') return undefined;
  for (const prompt of recorded(state)) {
    if (prompt.state !== 'cancelled' || prompt.reason !== SUPERSEDED || !isLater(prompt.posted_at, active.posted_at))
      continue;
    return violation('P5', `${prompt.prompt_id} is superseded by ${active.prompt_id}, asked before it`);
  }
}

/** I11, P7: after "unavailable" nothing is open that nobody waits for, and nothing is answered. */
function unavailableIsNotOpen(state: State): Violation | undefined {
  for (const [request, { answer }] of state.runner.raises.entries()) {
    if (answer !== 'unavailable' || state.processes.some(({ name }) => name.startsWith(`raise ${request}`))) continue;
    const open = recorded(state).find(
      (p) => requestOf(p.prompt_id) === request && (p.state === 'open' || p.state === 'answered'),
    );
    if (open) return violation('I11', `${open.prompt_id} is ${open.state}, its raise was told that it is unavailable`);
  }
}

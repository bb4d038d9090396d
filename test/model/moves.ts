import { POSTING_GRACE_MS, postingDueAt, workOf } from '#core/prompting/slot.ts';
import { agentCalls } from './agent.ts';
import { type Add, begin, type Move, type Setup, stepOf } from './processes.ts';
import { questionOf, typeOf, userItem } from './scenario.ts';
import { MAY_LAND_MS } from './shell/finish-prompt.ts';
import { reconcileThread } from './shell/reconcile-thread.ts';
import { resolveMessage } from './shell/resolve-item.ts';
import { after, may, type State } from './state.ts';
import { onThread } from './world.ts';

/** Everything that can happen next. */
export function movesFrom(state: State, setup: Setup): Move[] {
  const moves: Move[] = [];
  const add: Add = (label, to, due = false, by) => moves.push({ label, to, due, ...(by && { by }) });
  people(state, setup, add);
  webhooks(state, setup, add);
  landings(state, add);
  resolverWorkers(state, setup, add);
  agentCalls(state, setup, add);
  reconciler(state, setup, add);
  time(state, add);
  for (const process of state.processes) stepOf(state, process, setup, add);
  return moves;
}

function people(state: State, { configuration: { items } }: Setup, add: Add): void {
  const written = state.thread.filter((item) => typeOf(item) === undefined).length;
  const template = items[written];
  if (!template) return;
  const { names = -1, repliesTo = names } = template;
  if (repliesTo >= 0 && questionOf(state.thread, repliesTo) === undefined) return;
  add(`a user writes "${template.text}"`, onThread(state, userItem(template, state.thread)));
}

/** At least once, in any order, however late. */
function webhooks(state: State, { configuration: { echoes } }: Setup, add: Add): void {
  for (const [position, times] of state.delivered.entries()) {
    const item = state.thread[position];
    if (!item || (!echoes && typeOf(item) !== undefined)) continue;
    if (times > 0 && !may(state, 'duplicate')) continue;
    const from = times > 0 ? after(state, 'duplicate') : state;
    const delivered = from.delivered.with(position, times + 1);
    const to = { ...from, delivered, queue: [...from.queue, item.id] };
    add(`webhook of ${item.id}${times > 0 ? ', again' : ''}`, to, times === 0);
  }
}

function landings(state: State, add: Add): void {
  for (const [index, { item, until }] of state.landing.entries()) {
    const rest = { ...state, landing: state.landing.toSpliced(index, 1) };
    add(`the host carries out ${String(typeOf(item))} after all`, onThread(rest, item), until !== undefined);
    if (until !== undefined) add('the host drops a post', rest, true);
  }
}

function resolverWorkers(state: State, setup: Setup, add: Add): void {
  const [head] = state.queue;
  const busy = state.processes.filter(({ message }) => message !== undefined);
  if (head === undefined || busy.length >= setup.configuration.workers) return;
  const isHeld = busy.some(({ message }) => message === head);
  if (isHeld && !may(state, 'lapse')) return;
  const item = state.thread.find(({ id }) => id === head);
  if (!item) return;
  const name = busy.some((worker) => worker.name === 'W0') ? 'W1' : 'W0';
  const from = isHeld ? after(state, 'lapse') : state;
  const frame = resolveMessage(item, setup.on);
  add(`${name} receives ${head}`, begin(from, { name, message: head }, frame, setup), !isHeld);
}

/** Discovered by the index where something is due (functions/reconciler). */
function reconciler(state: State, setup: Setup, add: Add): void {
  const work = workOf(state.slot);
  if (!setup.on.reconciler || work?.list !== 'unfinished' || work.at > state.now) return;
  if (state.processes.some(({ name }) => name === 'reconciler')) return;
  add('the reconciler comes', begin(state, { name: 'reconciler' }, reconcileThread(), setup), true);
}

/**
 * Time goes on to the next instant that anybody waits for. The timing assumption: a post ends within its claim, so
 * no time passes between a worker's look at its claim and the end of its post; and what the host carries out late of
 * an audit item, it carries out in the time that the code waits for it.
 */
function time(state: State, add: Add): void {
  if (state.processes.some(({ call }) => call.do === 'post')) return;
  const { active, outbox } = state.slot;
  const instants = outbox.flatMap((p) => [
    p.claimed_until,
    p.next_attempt_at,
    (p.audit_unknown_at ?? -MAY_LAND_MS) + MAY_LAND_MS,
  ]);
  for (const p of outbox) if (p.state === 'withdrawn') instants.push(p.settled_at + POSTING_GRACE_MS);
  if (active?.state === 'posting') instants.push(active.claimed_until, postingDueAt(active));
  let next = Number.POSITIVE_INFINITY;
  for (const instant of instants) if (instant !== undefined && instant > state.now && instant < next) next = instant;
  if (next === Number.POSITIVE_INFINITY || state.landing.some(({ until = next + 1 }) => until <= next)) return;
  const isStill = state.processes.every(({ call }) => call.do === 'wait');
  if (isStill) add(`${next - state.now} ms pass`, { ...state, now: next }, true);
  else if (may(state, 'stall')) add(`${next - state.now} ms pass in a stall`, after({ ...state, now: next }, 'stall'));
}

import type { Configuration } from './configuration.ts';
import type { Defences } from './defences.ts';
import { resultKey } from './key.ts';
import { advance, type Call, type Ended, type Frame, type Process, THROWN } from './process.ts';
import { ownItem } from './scenario.ts';
import { MAY_LAND_MS } from './shell/finish-prompt.ts';
import { POINTS } from './shell/points.ts';
import type { RaiseAnswer } from './shell/raise-prompt.ts';
import type { Told } from './shell/runner-calls.ts';
import { after, changed, including, may, type State } from './state.ts';
import { inFlight, performed } from './world.ts';

/** What is explored: a configuration, with the defences that are there. */
export type Setup = { configuration: Configuration; on: Defences };

/**
 * One step of the model. What is `due` happens without anybody's will and without a fault: it must end some day.
 * @property by the process that made the step, and what its call gave it
 */
export type Move = { label: string; to: State; due: boolean; by?: { process: Process; got: unknown } };
export type Add = (label: string, to: State, due?: boolean, by?: Move['by']) => void;

/** A process that begins waits for its first side effect. */
export function begin(state: State, who: { name: string; message?: string }, frame: Frame, setup: Setup): State {
  const waits = advance({ now: state.now, on: setup.on, points: POINTS }, frame, undefined);
  if (!('call' in waits)) throw new Error(`${who.name} ended before its first side effect`);
  return { ...state, processes: [...state.processes, { ...who, ...waits }] };
}

/** The next side effect of a process, in all ways it can go, and its sudden end. */
export function stepOf(state: State, process: Process, setup: Setup, add: Add): void {
  const { name, call } = process;
  for (const { state: next, got, rest, how } of performed(state, call, setup.on)) {
    const label = `${name} ${call.do}${how ? ` (${how})` : ''} at ${process.frame.at}`;
    const to = rest ? going(next, process, { call: rest, frame: process.frame }) : resumed(next, process, got, setup);
    add(label, to, next.left === state.left, { process, got });
  }
  const without = cutOff(state, process);
  if (may(state, 'crash')) add(`${name} crashes before ${call.do} at ${process.frame.at}`, after(without, 'crash'));
  if (call.do !== 'post' || !may(state, 'cutPost')) return;
  // Nobody records it. It was begun within its claim, so it is given up by then at the latest.
  const until = (call.prompt.claimed_until ?? state.now) + MAY_LAND_MS;
  add(`${name} dies during its post`, after(inFlight(without, ownItem(call.prompt), until), 'cutPost'));
}

const gone = (state: State, process: Process): State => ({
  ...state,
  processes: state.processes.filter((other) => other !== process),
});

/** A runner whose attach broke off attaches again. */
function cutOff(state: State, process: Process): State {
  const toAttach = state.runner.toAttach + 1;
  return process.name.startsWith('attach') ? changed(gone(state, process), { toAttach }) : gone(state, process);
}

function resumed(state: State, process: Process, got: unknown, { on }: Setup): State {
  const next = wentOn(process, state.now, got, on);
  if (!('call' in next)) return ended(gone(state, process), process, next);
  return { ...state, processes: state.processes.map((other) => (other === process ? next : other)) };
}

/** A process goes on in the same way in all the many states that differ elsewhere: it is worked out once. */
const remembered = new WeakMap<Process, Map<string, Process | Ended>>();
function wentOn(process: Process, now: number, got: unknown, on: Defences): Process | Ended {
  const key = resultKey(got, now);
  const known = remembered.get(process) ?? new Map<string, Process | Ended>();
  remembered.set(process, known);
  const before = key === undefined ? undefined : known.get(key);
  if (before) return before;
  const moment = { now, on, points: POINTS };
  const waits = got === THROWN ? thrownInto(process.frame, moment) : advance(moment, process.frame, got);
  const next = 'call' in waits ? { ...process, ...waits } : waits;
  if (key !== undefined) known.set(key, next);
  return next;
}

function going(state: State, process: Process, waits: { call: Call; frame: Frame }): State {
  const next = { ...process, ...waits };
  return { ...state, processes: state.processes.map((other) => (other === process ? next : other)) };
}

/** A call that throws ends its function and every caller's, up to one that catches. */
function thrownInto(from: Frame, moment: Parameters<typeof advance>[0]) {
  let frame: Frame | undefined = from;
  while (frame && !frame.catches) frame = frame.caller;
  return frame ? advance(moment, frame, THROWN) : { thrown: 'a call failed' };
}

/** What the end of a process tells whoever called it. */
function ended(state: State, { name }: Process, end: { value: unknown } | { thrown: string }): State {
  if (!('value' in end)) return state;
  const { raises, returned, acked, knows } = state.runner;
  const [call, request] = [name.split(' ')[0], Number(name.split(' ')[1])];
  if (call === 'raise') return raised(state, request, end.value as RaiseAnswer);
  if (call === 'cancel') {
    const answer = raises[request]?.answer;
    const prompt_id = typeof answer === 'object' ? answer.prompt_id : '';
    return changed(state, { returned: including(returned, `${prompt_id}=${String(end.value)}`) });
  }
  if (call === 'ack' && end.value === 'done') return changed(state, { acked: including(acked, name.slice(4)) });
  if (call !== 'attach') return state;
  const told = end.value as Told;
  return changed(state, {
    knows: told.reduce((known, { prompt_id }) => including(known, prompt_id), knows),
    returned: told.reduce((all, { prompt_id, shows }) => including(all, `${prompt_id}=${shows}`), returned),
  });
}

function raised(state: State, request: number, answer: RaiseAnswer): State {
  const { raises, returned } = state.runner;
  const raise = raises[request];
  if (!raise) return state;
  // While another call for it is under way, "unavailable" is not the last word.
  const isLast = !state.processes.some(({ name }) => name.startsWith(`raise ${request} `));
  if (answer === 'unavailable' && !isLast) return state;
  const answers = raises.with(request, { ...raise, answer });
  if (answer === 'unavailable') return changed(state, { raises: answers });
  return changed(state, { raises: answers, returned: including(returned, `${answer.prompt_id}=${answer.shows}`) });
}

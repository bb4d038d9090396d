import { afterAll, describe, expect, it } from 'vitest';
import type { Configuration } from './configuration.ts';
import { ALL_ON } from './defences.ts';
import { movesFrom } from './moves.ts';
import type { Process } from './process.ts';
import type { Move, Setup } from './processes.ts';
import { modelled, RealProcess } from './real-process.ts';
import { initialState, type State } from './state.ts';

/** Everything at once: walks through it are chosen by chance, and repeat with their seed. */
const EVERYTHING: Configuration = {
  name: 'everything',
  items: [{ text: 'one' }, { text: 'two', repliesTo: 0 }, { text: 'three' }],
  requests: 2,
  attempts: 3,
  overlapping: true,
  cancels: [0, 1],
  workers: 2,
  echoes: true,
  acknowledges: true,
  attaches: 1,
  faults: {
    crash: 2,
    stall: 3,
    duplicate: 3,
    lapse: 1,
    lostReply: 1,
    refusedPost: 1,
    lostPost: 1,
    latePost: 1,
    unsent: 1,
    unreadable: 2,
    restart: 2,
  },
};
const WALKS = 100;
const STEPS = 250;

const setup: Setup = { configuration: EVERYTHING, on: ALL_ON };

/** A model of something else proves nothing: the real code takes the same side effects, with the same contents. */
describe('the real code, stopped at each side effect,', () => {
  const visited = new Set<string>();
  let steps = 0;
  it(`does what the model does, in ${WALKS} walks`, async () => {
    for (let seed = 1; seed <= WALKS; seed++) steps += await walk(seed, visited);
  }, 60_000);
  afterAll(() => console.log(`conformance: ${WALKS} walks, ${steps} side effects, ${visited.size} places of the code`));
});

async function walk(seed: number, visited: Set<string>): Promise<number> {
  const random = generator(seed);
  const real = new Map<Process, RealProcess>();
  const trace: string[] = [];
  let effects = 0;
  let state = initialState(EVERYTHING);
  for (let step = 0; step < STEPS; step++) {
    const moves = movesFrom(state, setup).filter((move) => isWalkable(move, real));
    const move = moves[Math.floor(random() * moves.length)];
    if (!move) break;
    trace.push(move.label);
    await follow(state, move, real);
    state = move.to;
    for (const process of state.processes) {
      visited.add(process.frame.at);
      const same = real.get(process)?.doing();
      const expected = process.call.do === 'delete' ? { ended: 'done' } : modelled(process.call);
      expect(same, `seed ${seed}, ${process.name} at ${process.frame.at} after\n${trace.join('\n')}`).toEqual(expected);
    }
    if (move.by) effects++;
  }
  return effects;
}

/** But for the patience of calls that wait for another: the real ones count the time, and look once more. */
function isWalkable({ by, label, to }: Move, real: ReadonlyMap<Process, RealProcess>): boolean {
  const isLooking = by?.process.frame.at === 'askQuestion.paused';
  if (label.includes('gives up')) return isLooking;
  if (isLooking) return real.get(by.process)?.mayLookAgain() === true;
  return to.processes.every(
    (process) => !/raise|cancel/.test(process.name) || real.get(process)?.isPatientAt(to.now) !== false,
  );
}

async function follow(from: State, { to, by }: Move, real: Map<Process, RealProcess>): Promise<void> {
  const began = to.processes.length > from.processes.length ? to.processes.at(-1) : undefined;
  if (began) {
    const item = to.thread.find(({ id }) => id === began.message);
    real.set(began, await RealProcess.begin(began, to.now, item));
  }
  if (!by) return;
  const { process, got } = by;
  const running = real.get(process);
  real.delete(process);
  const next =
    to.processes.length === from.processes.length ? to.processes[from.processes.indexOf(process)] : undefined;
  if (process.call.do === 'delete') return;
  await running?.goOn(process.call, got, to);
  if (next && running) real.set(next, running);
  else expectSameEnd(process, to, running);
}

function expectSameEnd({ name }: Process, { runner }: State, running: RealProcess | undefined): void {
  const end = running?.doing();
  expect(end, name).toHaveProperty('ended');
  if (!name.startsWith('raise')) return;
  const answer = runner.raises[Number(name.split(' ')[1])]?.answer;
  if (answer === 'unavailable') expect(end, name).toEqual({ ended: 'unavailable' });
}

/** Small and repeatable (mulberry32). */
function generator(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

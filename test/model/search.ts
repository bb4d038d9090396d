import { violatedAtRest } from './at-rest.ts';
import { type Violation, violated } from './invariants.ts';
import { keyOf } from './key.ts';
import { movesFrom } from './moves.ts';
import type { Setup } from './processes.ts';
import { initialState, type State } from './state.ts';

export type Explored = {
  states: number;
  edges: number;
  depth: number;
  ms: number;
  /** False where the limit came first. */
  isComplete: boolean;
  violation?: Violation & { trace: string[] };
};

/** Breadth first, so that the first violation has a shortest trace. */
export function explore(setup: Setup, limit = 2_000_000): Explored {
  const began = performance.now();
  const visited = new Visited();
  const found = (depth: number, isComplete: boolean, bad?: [Violation, number]): Explored => ({
    states: visited.size,
    edges: visited.edges,
    depth,
    ms: Math.round(performance.now() - began),
    isComplete,
    ...(bad && { violation: { ...bad[0], trace: visited.trace(bad[1]) } }),
  });

  const first = initialState(setup.configuration);
  visited.add(keyOf(first), -1, 'begin');
  let frontier: [State, number][] = [[first, 0]];
  for (let depth = 0; frontier.length > 0; depth++) {
    const next: [State, number][] = [];
    for (const [state, from] of frontier) {
      let isAtRest = true;
      for (const { label, to, due } of movesFrom(state, setup)) {
        const key = keyOf(to);
        const known = visited.find(key);
        const index = known ?? visited.add(key, from, label);
        if (due && index !== from) isAtRest = false;
        if (due) visited.due(from, index);
        visited.edges++;
        if (known !== undefined) continue;
        const bad = changes(state, to) ? violated(to, setup.configuration) : undefined;
        if (bad) return found(depth + 1, false, [bad, index]);
        next.push([to, index]);
      }
      const bad = isAtRest ? violatedAtRest(state, setup.configuration) : undefined;
      if (bad) return found(depth, false, [bad, from]);
      if (isAtRest) visited.rest.push(from);
    }
    if (visited.size > limit) return found(depth, false);
    frontier = next;
  }
  return endless(visited, found);
}

/** Whether the move touched anything that an invariant looks at. */
function changes(from: State, to: State): boolean {
  const { slot, past, thread, runner } = from;
  return to.slot !== slot || to.past !== past || to.thread !== thread || to.runner !== runner;
}

/** From every state, what is due leads to rest: no process waits for ever, and none goes round in circles (I10). */
function endless(visited: Visited, found: (depth: number, isComplete: boolean, bad?: [Violation, number]) => Explored) {
  const stuck = visited.neverAtRest();
  const depth = visited.depth();
  return found(
    depth,
    true,
    stuck === undefined ? undefined : [{ invariant: 'I10', what: 'it never comes to rest' }, stuck],
  );
}

/** The states seen, by number, and how each was reached first. */
class Visited {
  readonly #indexes = new Map<string, number>();
  readonly #cameFrom: number[] = [];
  readonly #labels: string[] = [];
  readonly #dueFrom: number[] = [];
  readonly #dueTo: number[] = [];
  readonly rest: number[] = [];
  edges = 0;

  get size(): number {
    return this.#labels.length;
  }

  find(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  add(key: string, from: number, label: string): number {
    const index = this.#labels.length;
    this.#indexes.set(key, index);
    this.#cameFrom.push(from);
    this.#labels.push(label);
    return index;
  }

  due(from: number, to: number): void {
    this.#dueFrom.push(from);
    this.#dueTo.push(to);
  }

  trace(index: number): string[] {
    const labels: string[] = [];
    for (let at = index; at > 0; at = this.#cameFrom[at] ?? 0) labels.push(this.#labels[at] ?? '');
    return labels.reverse();
  }

  depth(): number {
    return this.trace(this.size - 1).length;
  }

  /** The first state from which no way of due moves leads to rest: backwards from rest, what is not reached. */
  neverAtRest(): number | undefined {
    const before = this.#backwards();
    const reaches = new Uint8Array(this.size);
    const open = [...this.rest];
    for (const index of open) reaches[index] = 1;
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      for (let edge = before.first[index] ?? 0; edge < (before.first[index + 1] ?? 0); edge++) {
        const from = before.from[edge] ?? 0;
        if (reaches[from] === 1) continue;
        reaches[from] = 1;
        open.push(from);
      }
    }
    const stuck = reaches.indexOf(0);
    return stuck < 0 ? undefined : stuck;
  }

  /** Due moves by the state that they lead to. */
  #backwards(): { first: Uint32Array; from: Uint32Array } {
    const first = new Uint32Array(this.size + 2);
    for (const to of this.#dueTo) first[to + 2] = (first[to + 2] ?? 0) + 1;
    for (let index = 2; index < first.length; index++) first[index] = (first[index] ?? 0) + (first[index - 1] ?? 0);
    const from = new Uint32Array(this.#dueTo.length);
    for (const [edge, to] of this.#dueTo.entries()) {
      const at = first[to + 1] ?? 0;
      from[at] = this.#dueFrom[edge] ?? 0;
      first[to + 1] = at + 1;
    }
    return { first, from };
  }
}

import type { Item } from '#core/item.ts';
import type { PastPrompt } from '#core/ports.ts';
import type { Receipt } from '#core/prompting/decide.ts';
import { emptySlot, type Slot } from '#core/prompting/slot.ts';
import type { Configuration, Fault } from './configuration.ts';
import type { Process } from './process.ts';
import type { RaiseAnswer } from './shell/raise-prompt.ts';

/** A post that the host may still carry out; until then at the latest, in milliseconds. */
export type Landing = { item: Item; until?: number };

type RaiseState = { attempts: number; answer?: RaiseAnswer };

/** What the runner and its agent were told and did. */
export type Runner = {
  /** Outcomes that the runner's queue took, as `prompt_id=outcome`, and outcomes that calls returned. */
  told: readonly string[];
  returned: readonly string[];
  /** Items that the runner's queue took as next turns, and items of which nothing was made. */
  turns: readonly string[];
  ignored: readonly string[];

  raises: readonly RaiseState[];
  cancelled: readonly number[];
  /** Prompts whose outcome the runner has in memory, has stored, and has acknowledged with success. */
  knows: readonly string[];
  stored: readonly string[];
  acked: readonly string[];
  /** How many runners are still to attach. */
  toAttach: number;
};

/** Everything there is, at one moment. Never changed in place: the next state shares what did not change. */
export type State = {
  /** Milliseconds of our clock. */
  now: number;

  slot: Slot;
  receipts: ReadonlyMap<string, Receipt>;
  /** Past prompts by request key. */
  past: ReadonlyMap<string, PastPrompt>;

  /** Items in the host's order. */
  thread: readonly Item[];
  landing: readonly Landing[];
  /** By position on the thread: how often its webhook was delivered. */
  delivered: readonly number[];
  /** Ids of inbound items: one FIFO message group. */
  queue: readonly string[];

  processes: readonly Process[];

  runner: Runner;

  left: Readonly<Record<string, number>>;
};

/** Any instant will do; far from zero, so that a forgotten time would be seen. */
const BEGIN = 1_000_000;

export function initialState({ requests, faults }: Configuration): State {
  return {
    now: BEGIN,
    slot: emptySlot(),
    receipts: new Map(),
    past: new Map(),
    thread: [],
    landing: [],
    delivered: [],
    queue: [],
    processes: [],
    runner: {
      told: [],
      returned: [],
      turns: [],
      ignored: [],
      raises: Array.from({ length: requests }, () => ({ attempts: 0 })),
      cancelled: [],
      knows: [],
      stored: [],
      acked: [],
      toAttach: 0,
    },
    left: faults,
  };
}

export const may = (state: State, fault: Fault): boolean => (state.left[fault] ?? 0) > 0;

export const after = (state: State, fault: Fault): State => ({
  ...state,
  left: { ...state.left, [fault]: (state.left[fault] ?? 0) - 1 },
});

export const changed = (state: State, runner: Partial<Runner>): State => ({
  ...state,
  runner: { ...state.runner, ...runner },
});

/** Appended, unless it is there already. */
export const including = (list: readonly string[], entry: string): readonly string[] =>
  list.includes(entry) ? list : [...list, entry];

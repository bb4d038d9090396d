import type { OwnItemType, StoredThread } from '#core/ports.ts';
import type { PostingPrompt, SettledPrompt, UnfinishedPrompt } from '#core/prompt.ts';
import type { Receipt } from '#core/prompting/decide.ts';
import type { Slot } from '#core/prompting/slot.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Defences } from './defences.ts';

/** The next side effect of a process: one call of a port, and one step of the model. */
export type Call =
  | { do: 'read'; request?: string; items?: string[] }
  | { do: 'readSlot'; rest: Omit<StoredThread, 'slot'> }
  | { do: 'save'; slot: Slot }
  | { do: 'keep'; prompt: UnfinishedPrompt }
  | { do: 'receipt'; item_id: string; receipt: Receipt }
  | { do: 'send'; message: RunnerMessage }
  | { do: 'look'; type: OwnItemType; prompt_id: string }
  | { do: 'post'; prompt: PostingPrompt | SettledPrompt }
  | { do: 'list'; since?: string }
  | { do: 'enqueue'; item_id: string }
  | { do: 'wait'; patient?: boolean }
  | { do: 'delete'; item_id: string; ignored?: boolean }
  | { do: 'acknowledgePast'; prompt_id: string }
  | { do: 'unacknowledged' };

/**
 * Where a function of the shell waits: `at` is its program counter, the other fields are the variables it still needs,
 * `caller` is who called it. Plain data, so that a state of the model has a key. A number in a frame is a time.
 */
export type Frame = {
  readonly at: string;
  readonly caller?: Frame | undefined;
  /** The caller goes on when the function that it called throws. */
  readonly catches?: true;
};

/** What comes between two side effects of a function: it waits for a call, enters a function, returns, or throws. */
export type Next = { call: Call; frame: Frame } | { enter: Frame } | { value: unknown } | { thrown: string };

export const perform = <F extends Frame>(call: Call, frame: F): Next => ({ call, frame });
export const enter = <F extends Frame>(frame: F): Next => ({ enter: frame });
export const give = (value?: unknown): Next => ({ value });
export const fail = (thrown: string): Next => ({ thrown });

/** What a frame that `catches` is given in place of a value. */
export const THROWN = Symbol('thrown');

/** The instant at which a process goes on. */
export type Moment = { now: number; on: Defences; points: Points };

/** By `at`: what happens there once the awaited result is in. Every one of them mirrors a stretch of real code. */
export type Points = Readonly<Record<string, (moment: Moment, frame: never, got: never) => Next>>;

export type Process = {
  /** In traces: `W0`, `raise 1`, `reconciler`. */
  readonly name: string;
  /** The message that a resolver worker holds. */
  readonly message?: string;
  readonly call: Call;
  readonly frame: Frame;
};
export type Ended = { value: unknown } | { thrown: string };

/** Runs a process from the result of its last call to its next call, or to its end. */
export function advance(moment: Moment, from: Frame, got: unknown): { call: Call; frame: Frame } | Ended {
  let frame: Frame | undefined = from;
  let next = run(moment, from, got);
  for (;;) {
    if ('call' in next) return next;
    if ('enter' in next) {
      frame = next.enter;
      next = run(moment, frame, undefined);
      continue;
    }
    frame = frame?.caller;
    if ('thrown' in next) while (frame && !frame.catches) frame = frame.caller;
    if (!frame) return next;
    next = run(moment, frame, 'thrown' in next ? THROWN : next.value);
  }
}

function run(moment: Moment, frame: Frame, got: unknown): Next {
  const point = moment.points[frame.at];
  if (!point) throw new Error(`the model has no point ${frame.at}`);
  return (point as (moment: Moment, frame: Frame, got: unknown) => Next)(moment, frame, got);
}

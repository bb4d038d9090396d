import type { Item } from '#core/item.ts';
import type { StoredThread } from '#core/ports.ts';
import type { OpenPrompt, Outcome } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import { readOwnItem } from '#core/prompting/adopt.ts';
import type { Slot } from '#core/prompting/slot.ts';
import { OWN_USER } from '../../support/given.ts';
import { type Frame, give, type Moment, type Next, type Points, perform } from '../process.ts';
import { changeSlot } from './change-slot.ts';
import { finishPrompt } from './finish-prompt.ts';

/** `unresolved` are looked up one by one, newest first; those that nobody knows are `unknown`, oldest first. */
type Adopt = Frame & { slot: Slot; unresolved: OpenPrompt[]; unknown: OpenPrompt[] };
type Replay = Frame & { prompt_id: string; items: Item[] };

/** settlement/adopt-thread.ts, adoptThread; the thread is one page long, and what was surveyed is not remembered. */
export const adoptThread = (caller: Frame): Next => perform({ do: 'read' }, { at: 'adoptThread.read', caller });

const next = (f: Adopt, at: string, more: Partial<Adopt> = {}): Adopt => ({ ...f, ...more, at });

export const adoptThreadPoints = {
  'adoptThread.read': (_: Moment, f: Frame, { slot }: StoredThread) =>
    perform({ do: 'list' }, { ...f, at: 'adoptThread.surveyed', slot } as Frame),
  'adoptThread.surveyed': (m: Moment, f: Adopt, thread: readonly Item[]) => {
    const { outcomes, unresolved } = survey(thread, m.now);
    const here = next(f, 'adoptThread.outcomeTold', { unresolved, unknown: [] });
    const prompt_id = f.slot.active?.prompt_id ?? '';
    const outcome = outcomes.get(prompt_id);
    if (!outcome) return leaveOutKnown(here);
    return changeSlot({ do: 'adoptOutcome', prompt_id, outcome }, here, f.slot);
  },
  'adoptThread.outcomeTold': (_: Moment, f: Adopt, adopted: Slot | undefined) => {
    const { active } = f.slot;
    if (!adopted || !active) return leaveOutKnown(f);
    return finishPrompt(active.prompt_id, { slot: adopted }, next(f, 'adoptThread.leaveOutKnown'));
  },
  'adoptThread.leaveOutKnown': (_: Moment, f: Adopt) => leaveOutKnown(f),
  'adoptThread.known': (_: Moment, f: Adopt, { slot, past }: StoredThread) => {
    const [prompt, ...unresolved] = f.unresolved;
    const isKnown = [slot.active, ...slot.outbox, past].some((known) => known?.prompt_id === prompt?.prompt_id);
    return leaveOutKnown(next(f, '', { unresolved, unknown: prompt && !isKnown ? [prompt, ...f.unknown] : f.unknown }));
  },
  'adoptThread.remembered': (_: Moment, f: Adopt) => {
    const [prompt] = f.unknown;
    if (!prompt) return give();
    const transition = { do: isNewest(f) ? 'adoptOpen' : 'adoptSuperseded', prompt } as const;
    return changeSlot(transition, next(f, 'adoptThread.adopted'));
  },
  'adoptThread.adopted': (_: Moment, f: Adopt, slot: Slot | undefined) => {
    const [prompt, ...unknown] = f.unknown;
    const rest = next(f, 'adoptThread.next', { unknown });
    const superseded = isNewest(f) ? slot?.outbox.at(-1) : prompt;
    if (!slot || !superseded) return adoptNext(rest);
    return finishPrompt(superseded.prompt_id, { slot, ...(!isNewest(f) && { justSettled: true }) }, rest);
  },
  'adoptThread.next': (_: Moment, f: Adopt) => adoptNext(f),

  // settlement/replay-items.ts, replayItems.
  'replayItems.read': (_: Moment, f: Frame, { slot: { active } }: StoredThread) => {
    if (active?.state !== 'open' || !active.replay) return give();
    const { prompt_id } = active;
    return perform({ do: 'list', since: active.posted_at }, { ...f, at: 'replayItems.listed', prompt_id } as Frame);
  },
  'replayItems.listed': (_: Moment, f: Replay, thread: readonly Item[]) =>
    replay({ ...f, items: thread.filter(({ user_id }) => user_id !== OWN_USER) }),
  'replayItems.sent': (_: Moment, f: Replay) => replay(f),
  'replayItems.ended': () => give(),
} satisfies Points;

function survey(thread: readonly Item[], now: number) {
  const outcomes = new Map<string, Outcome>();
  const unresolved: OpenPrompt[] = [];
  for (const item of thread.toReversed()) {
    const own = readOwnItem(item, OWN_USER, now);
    if (own?.tells === 'outcome') outcomes.set(own.prompt_id, own.outcome);
    if (own?.tells === 'question' && !outcomes.has(own.prompt.prompt_id)) unresolved.push(own.prompt);
  }
  return { outcomes, unresolved };
}

function leaveOutKnown(f: Adopt): Next {
  const [prompt] = f.unresolved;
  if (!prompt) return adoptNext(f);
  return perform({ do: 'read', request: requestKeyOf(prompt.prompt_id) }, next(f, 'adoptThread.known'));
}

/** Oldest first and the newest last, which opens again, unless a newer one is being posted. */
function adoptNext(f: Adopt): Next {
  const [prompt] = f.unknown;
  if (!prompt) return perform({ do: 'read' }, { at: 'replayItems.read', caller: f.caller });
  const receipt = { use: 'prompt', prompt_id: prompt.prompt_id } as const;
  return perform({ do: 'receipt', item_id: prompt.item_id, receipt }, next(f, 'adoptThread.remembered'));
}

const isNewest = ({ slot, unknown }: Adopt): boolean => unknown.length === 1 && slot.active?.state !== 'posting';

function replay({ items: [item, ...items], ...f }: Replay): Next {
  if (item) return perform({ do: 'enqueue', item_id: item.id }, { ...f, at: 'replayItems.sent', items });
  return changeSlot({ do: 'endReplay', prompt_id: f.prompt_id }, { at: 'replayItems.ended', caller: f.caller });
}

import { isLater } from '#core/instant.ts';
import type { StoredThread } from '#core/ports.ts';
import type { OpenPrompt, Outcome, PostingPrompt } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import { adoptOpen, adoptOutcome, adoptSuperseded, endReplay } from '#core/prompting/adopt.ts';
import {
  acknowledge,
  type Mark,
  markOwed,
  markUnfinished,
  openPrompt,
  type Posted,
  type Slot,
  withdraw,
} from '#core/prompting/slot.ts';
import { enter, type Frame, give, type Moment, type Next, type Points, perform } from '../process.ts';

/** The transitions that are applied again to whatever is read, until they are written or do not apply any more. */
export type Transition =
  | { do: 'open'; prompt_id: string; posted: Posted }
  | { do: 'withdraw'; posting: PostingPrompt; mayStillLand: boolean }
  | { do: 'mark'; prompt_id: string; mark: Mark; mine?: number }
  | { do: 'acknowledge'; prompt_id: string }
  | { do: 'adoptOpen' | 'adoptSuperseded'; prompt: OpenPrompt }
  | { do: 'adoptOutcome'; prompt_id: string; outcome: Outcome }
  | { do: 'endReplay'; prompt_id: string };

/**
 * The pause before the next try. The real one grows (settlement/back-off.ts), which changes when something is tried,
 * never what; here it is its shortest, so that the age of a failure does not multiply the states.
 */
export const BACK_OFF_MS = 1000;

type ChangeSlot = Frame & { transition: Transition; seen?: Slot };

/** settlement/change-slot.ts: gives the slot as written, or `undefined`. */
export const changeSlot = (transition: Transition, caller: Frame | undefined, seen?: Slot): Next =>
  enter<ChangeSlot>({ at: 'changeSlot', transition, ...(seen && { seen }), caller });

export const changeSlotPoints = {
  changeSlot: (m: Moment, f: ChangeSlot) => (f.seen ? write(m, f, { slot: f.seen }) : readFirst(f)),
  'changeSlot.read': write,
  'changeSlot.saved': (_: Moment, f: ChangeSlot, saved: Slot | false) => (saved ? give(saved) : readFirst(f)),
} satisfies Points;

type Seen = Pick<StoredThread, 'slot' | 'past'>;

function write(m: Moment, { seen, ...f }: ChangeSlot, stored: Seen): Next {
  const next = applied(m, f.transition, stored);
  return next ? perform({ do: 'save', slot: next }, { ...f, at: 'changeSlot.saved' }) : give();
}

function readFirst({ seen, ...f }: ChangeSlot): Next {
  const adopted = 'prompt' in f.transition && { request: requestKeyOf(f.transition.prompt.prompt_id) };
  return perform({ do: 'read', ...adopted }, { ...f, at: 'changeSlot.read' });
}

function applied({ now, on }: Moment, transition: Transition, { slot, past }: Seen): Slot | undefined {
  switch (transition.do) {
    case 'open':
      return openPrompt(slot, transition.prompt_id, transition.posted);
    case 'withdraw': {
      const { posting, mayStillLand } = transition;
      // Without the defence, whatever attempt is on its way passes for the one that failed.
      const attempt = !on.ownAttempt && slot.active?.state === 'posting' ? slot.active : posting;
      const isOther = attempt.prompt_id !== posting.prompt_id;
      return isOther ? undefined : withdraw(slot, attempt, on.watchLateLanding && mayStillLand, now);
    }
    case 'mark':
      return marked(on.ownClaim, slot, transition, now);
    case 'acknowledge':
      return acknowledge(slot, transition.prompt_id, now);
    case 'adoptOpen':
    case 'adoptSuperseded': {
      const { prompt } = transition;
      const isKnown = [slot.active, ...slot.outbox, past].some((known) => known?.prompt_id === prompt.prompt_id);
      if (on.adoptUnknown && isKnown) return undefined;
      const { active } = slot;
      const isOlder = active && (active.state === 'posting' || isLater(active.posted_at, prompt.posted_at));
      const adopted = transition.do === 'adoptOpen' && !(on.adoptInOrder && isOlder) ? adoptOpen : adoptSuperseded;
      return adopted(slot, prompt, now);
    }
    case 'adoptOutcome':
      return adoptOutcome(slot, transition.prompt_id, transition.outcome, now);
    case 'endReplay':
      return endReplay(slot, transition.prompt_id);
  }
}

/** Only the claim that is `mine` ends with the mark; another's, also one that ran out, stays for what it tells. */
function marked(ownClaim: boolean, slot: Slot, transition: Transition & { do: 'mark' }, now: number): Slot | undefined {
  const { prompt_id, mark, mine } = transition;
  return ownClaim ? markOwed(slot, prompt_id, mark, mine, now) : markUnfinished(slot, prompt_id, mark);
}

import type { WithdrawnPrompt } from '#core/prompt.ts';
import { cancelLateLanding, POSTING_GRACE_MS, type Posted, type Slot } from '#core/prompting/slot.ts';
import { retryDelayMs } from '../../../functions/settlement/back-off.ts';
import { enter, type Frame, fail, give, type Moment, type Next, type Points, perform } from '../process.ts';
import type { Look } from '../world.ts';
import { changeSlot } from './change-slot.ts';

type LookForLateLanding = Frame & { slot: Slot; prompt: WithdrawnPrompt };
type CloseLateLanding = Frame & { slot: Slot; prompt: WithdrawnPrompt; posted: Posted };

/** settlement/late-landing.ts, lookForLateLanding: gives a slot, 'past' or `undefined`. */
export const lookForLateLanding = (slot: Slot, prompt: WithdrawnPrompt, caller: Frame): Next =>
  enter<LookForLateLanding>({ at: 'lookForLateLanding', slot, prompt, caller });

/** settlement/late-landing.ts, closeLateLanding: gives the slot or `undefined`; throws where a race was lost. */
export const closeLateLanding = (
  slot: Slot,
  prompt: WithdrawnPrompt,
  posted: Posted,
  caller: Frame | undefined,
): Next => enter<CloseLateLanding>({ at: 'closeLateLanding', slot, prompt, posted, caller });

export const lateLandingPoints = {
  lookForLateLanding: (_: Moment, f: LookForLateLanding) => {
    const { prompt_id } = f.prompt;
    return perform({ do: 'look', type: 'pending_prompt', prompt_id }, { ...f, at: 'lookForLateLanding.looked' });
  },
  'lookForLateLanding.looked': (m: Moment, { slot, prompt, caller }: LookForLateLanding, seen: Look) => {
    if (typeof seen === 'object') return closeLateLanding(slot, prompt, seen, caller);
    const givenUpFor = m.now - prompt.settled_at;
    if (seen === undefined && givenUpFor >= POSTING_GRACE_MS) return give('past');
    const mark = { next_attempt_at: m.now + retryDelayMs(givenUpFor) };
    const { prompt_id } = prompt;
    return changeSlot({ do: 'mark', prompt_id, mark }, { at: 'lookForLateLanding.marked', caller }, slot);
  },
  'lookForLateLanding.marked': () => give(),
  closeLateLanding: (_: Moment, f: CloseLateLanding) => {
    const { prompt_id } = f.prompt;
    const receipt = { use: 'prompt', prompt_id } as const;
    return perform({ do: 'receipt', item_id: f.posted.item_id, receipt }, { ...f, at: 'closeLateLanding.remembered' });
  },
  'closeLateLanding.remembered': (m: Moment, { slot, prompt, posted, caller }: CloseLateLanding) => {
    const cancelled = cancelLateLanding(slot, prompt, posted, m.now);
    if (!cancelled) return give();
    return perform({ do: 'save', slot: cancelled }, { at: 'closeLateLanding.saved', caller });
  },
  'closeLateLanding.saved': (_: Moment, __: Frame, saved: Slot | false) =>
    saved ? give(saved) : fail('the thread changed meanwhile'),
} satisfies Points;

import type { StoredThread } from '#core/ports.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import { type Slot, settle } from '#core/prompting/slot.ts';
import { findPrompt } from '../../../functions/runner-api/find-prompt.ts';
import { outcomeOf } from '../outcome.ts';
import { type Frame, give, type Moment, type Next, type Points, perform, type THROWN } from '../process.ts';
import type { Waited } from '../world.ts';
import { finishPrompt } from './finish-prompt.ts';
import { confirmPosting } from './question.ts';

export const CANCEL_REASON = 'the run ended';

type Cancel = Frame & { prompt_id: string };

/** runner-api/cancel-prompt.ts, cancelPrompt: gives what won, 'unknown' or 'unavailable'. */
export const cancelPrompt = (prompt_id: string): Frame => ({ at: 'cancelPrompt', prompt_id }) as Cancel;

const again = ({ prompt_id }: Cancel): Next =>
  perform({ do: 'read', request: requestKeyOf(prompt_id) }, { at: 'cancelPrompt.read', prompt_id } as Cancel);

export const cancelPromptPoints = {
  cancelPrompt: (_: Moment, f: Cancel) => again(f),
  'cancelPrompt.read': (m: Moment, { prompt_id }: Cancel, state: StoredThread) => {
    const prompt = findPrompt(state, prompt_id);
    if (!prompt || prompt.state === 'withdrawn') return give('unknown');
    const waiting: Cancel = { at: 'cancelPrompt.looked', prompt_id };
    if (prompt.state === 'posting') return confirmPosting(prompt, { ...waiting, catches: true });
    if (prompt.state !== 'open') return give(outcomeOf(prompt));
    const settled = settle(state.slot, prompt_id, { state: 'cancelled', reason: CANCEL_REASON }, m.now);
    return settled ? perform({ do: 'save', slot: settled }, { ...waiting, at: 'cancelPrompt.saved' }) : again(waiting);
  },
  'cancelPrompt.looked': (_: Moment, { prompt_id }: Cancel, found: boolean | typeof THROWN) => {
    const here: Cancel = { at: 'cancelPrompt.waited', prompt_id };
    return found === true ? again(here) : perform({ do: 'wait' }, here);
  },
  'cancelPrompt.waited': (_: Moment, f: Cancel, waited: Waited) =>
    waited === 'again' ? again(f) : give('unavailable'),
  'cancelPrompt.saved': (m: Moment, f: Cancel, slot: Slot | false) => {
    if (!slot) return m.on.loserIsTold ? again(f) : give(`cancelled:${CANCEL_REASON}`);
    const { prompt_id } = f;
    return finishPrompt(prompt_id, { slot, justSettled: true }, {
      at: 'cancelPrompt.finished',
      prompt_id,
      catches: true,
    } as Cancel);
  },
  'cancelPrompt.finished': () => give(`cancelled:${CANCEL_REASON}`),
} satisfies Points;

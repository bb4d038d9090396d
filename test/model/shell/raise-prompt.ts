import type { StoredThread } from '#core/ports.ts';
import type { PostingPrompt } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import { beginPosting, POSTING_CLAIM_MS, type Slot, takeOverPosting } from '#core/prompting/slot.ts';
import { findByRequest, findPrompt } from '../../../functions/runner-api/find-prompt.ts';
import { outcomeOf } from '../outcome.ts';
import { type Frame, give, type Moment, type Next, type Points, perform, type THROWN } from '../process.ts';
import type { Waited } from '../world.ts';
import { finishPrompt } from './finish-prompt.ts';
import { askQuestion, confirmPosting, withdrawQuestion } from './question.ts';

/** The prompt as it is raised, but for its times; its id is the one minted for this attempt. */
type Fresh = Omit<PostingPrompt, 'raised_at' | 'claimed_until'>;
type Raise = Frame & { fresh: Fresh };
type Settling = Raise & { posting: PostingPrompt };
type Begun = Raise & { prompt: PostingPrompt; again: boolean; superseded?: string };

/** What a raise answers: the prompt and its state, or that it is unavailable. */
export type RaiseAnswer = { prompt_id: string; shows: string } | 'unavailable';

/** runner-api/raise-prompt.ts, raisePrompt: gives a RaiseAnswer. */
export const raisePrompt = (fresh: Fresh): Frame => ({ at: 'beginPrompt', fresh }) as Raise;

const begin = (f: Raise): Next =>
  perform({ do: 'read', request: requestKeyOf(f.fresh.prompt_id) }, {
    at: 'beginPrompt.read',
    fresh: f.fresh,
  } as Raise);

const shown = (prompt: Parameters<typeof outcomeOf>[0]): Next =>
  give({ prompt_id: prompt.prompt_id, shows: outcomeOf(prompt) } satisfies RaiseAnswer);

export const raisePromptPoints = {
  beginPrompt: (_: Moment, f: Raise) => begin(f),
  'beginPrompt.read': (m: Moment, f: Raise, state: StoredThread) => {
    const { active } = state.slot;
    const earlier = findByRequest(state, requestKeyOf(f.fresh.prompt_id));
    if (earlier && earlier.state !== 'posting' && earlier.state !== 'withdrawn') return shown(earlier);
    if (earlier?.state === 'withdrawn' && m.on.givenUpIsFinal) return give('unavailable' satisfies RaiseAnswer);
    const prompt = postingPrompt(m, f.fresh, earlier);
    const next =
      earlier?.state === 'posting' && m.on.givenUpIsFinal
        ? takeOverPosting(state.slot, earlier.prompt_id, m.now)
        : beginAgain(m, state.slot, prompt);
    if (!next && active?.state === 'posting') return settlePosting(m, f, active);
    if (!next) return give('unavailable' satisfies RaiseAnswer);
    const slot =
      active && !m.on.outbox ? { ...next, outbox: next.outbox.filter((p) => p.prompt_id !== active.prompt_id) } : next;
    const superseded = active?.state === 'open' && { superseded: active.prompt_id };
    return perform({ do: 'save', slot }, {
      at: 'beginPrompt.saved',
      fresh: f.fresh,
      prompt: next.active,
      again: earlier !== undefined,
      ...superseded,
    } as Begun);
  },
  'beginPrompt.saved': (_: Moment, f: Begun, saved: Slot | false) => {
    if (!saved) return begin(f);
    const { fresh, superseded, ...here } = f;
    const waiting = { ...here, at: 'raisePrompt.superseded' };
    if (superseded === undefined) return askQuestion(f.prompt, f.again, { ...waiting, at: 'raisePrompt.asked' });
    return finishPrompt(superseded, { slot: saved, justSettled: true }, { ...waiting, catches: true });
  },
  'raisePrompt.superseded': (_: Moment, { prompt, again }: Begun) =>
    askQuestion(prompt, again, { at: 'raisePrompt.asked', prompt } as unknown as Frame),
  'raisePrompt.asked': (_: Moment, { prompt: { prompt_id } }: Begun, asked: boolean) => {
    if (!asked) return give('unavailable' satisfies RaiseAnswer);
    return perform({ do: 'read', request: requestKeyOf(prompt_id) }, { at: 'raisePrompt.read', prompt_id } as Frame);
  },
  'raisePrompt.read': (_: Moment, { prompt_id }: { prompt_id: string }, state: StoredThread) => {
    const present = findPrompt(state, prompt_id);
    return !present || present.state === 'withdrawn' ? give('unavailable' satisfies RaiseAnswer) : shown(present);
  },

  'settlePosting.waited': (_: Moment, f: Raise, waited: Waited) =>
    waited === 'again' ? begin(f) : give('unavailable' satisfies RaiseAnswer),
  'settlePosting.looked': (_: Moment, f: Settling, found: boolean | typeof THROWN) => {
    const { posting, catches, ...raise } = f;
    if (found === true) return begin(raise);
    return withdrawQuestion(posting, true, { ...raise, at: 'beginPrompt' });
  },
} satisfies Points;

const postingPrompt = ({ now }: Moment, fresh: Fresh, earlier?: { prompt_id: string }): PostingPrompt => ({
  ...fresh,
  ...(earlier && { prompt_id: earlier.prompt_id }),
  raised_at: now,
  claimed_until: now + POSTING_CLAIM_MS,
});

/** Without the defence `givenUpIsFinal` a prompt that was given up leaves the outbox and is posted again. */
function beginAgain({ now }: Moment, slot: Slot, prompt: PostingPrompt) {
  const outbox = slot.outbox.filter(({ prompt_id }) => prompt_id !== prompt.prompt_id);
  return beginPosting({ ...slot, outbox }, prompt, now);
}

/** runner-api/raise-prompt.ts, settlePosting, and the loop around it. */
function settlePosting(m: Moment, f: Raise, posting: PostingPrompt): Next {
  if (m.on.postingClaim && m.now < posting.claimed_until) {
    // It waits for as long as a claim lasts, so it sees the end of every claim but one made after it came: its own,
    // written by a save that it took for lost.
    const patient = posting.prompt_id !== f.fresh.prompt_id;
    return perform({ do: 'wait', patient }, { ...f, at: 'settlePosting.waited' });
  }
  const { caller, ...raise } = f;
  if (!m.on.lookBeforeGivingUp) return withdrawQuestion(posting, true, { ...raise, at: 'beginPrompt' });
  return confirmPosting(posting, { ...raise, at: 'settlePosting.looked', posting, catches: true } as Settling);
}

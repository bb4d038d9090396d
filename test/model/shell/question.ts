import type { PostingPrompt } from '#core/prompt.ts';
import type { Posted, Slot } from '#core/prompting/slot.ts';
import {
  enter,
  type Frame,
  fail,
  give,
  type Moment,
  type Next,
  type Points,
  perform,
  type THROWN,
} from '../process.ts';
import type { Look, PostEnd, Waited } from '../world.ts';
import { changeSlot } from './change-slot.ts';

/** settlement/question.ts keeps it to itself. */
const POST_MS = 6000;

type Asking = Frame & { prompt: PostingPrompt; again: boolean };
type Open = Frame & { prompt_id: string; posted: Posted };
type Confirm = Frame & { prompt: PostingPrompt };

/** settlement/question.ts, askQuestion: gives true where the question was asked. */
export const askQuestion = (prompt: PostingPrompt, again: boolean, caller: Frame): Next =>
  enter<Asking>({ at: 'askQuestion', prompt, again, caller });

/** settlement/question.ts, confirmPosting: gives whether it was found; throws where the thread cannot be read. */
export const confirmPosting = (prompt: PostingPrompt, caller: Frame): Next =>
  enter<Confirm>({ at: 'confirmPosting', prompt, caller });

/** settlement/question.ts, openQuestion: gives true, which is what its callers go on to return. */
export const openQuestion = (prompt_id: string, posted: Posted, caller: Frame | undefined): Next =>
  enter<Open>({ at: 'openQuestion', prompt_id, posted, caller });

/** settlement/question.ts, withdrawQuestion. */
export const withdrawQuestion = (prompt: PostingPrompt, mayStillLand: boolean, caller: Frame | undefined): Next =>
  changeSlot({ do: 'withdraw', posting: prompt, mayStillLand }, caller);

const looking = (f: Asking, at: string): Next => {
  const { prompt, again, caller } = f;
  return confirmPosting(prompt, { at, prompt, again, catches: true, caller } as Asking);
};
const notAsked = (f: Asking, mayStillLand: boolean): Next =>
  withdrawQuestion(f.prompt, mayStillLand, { at: 'askQuestion.withdrawn', caller: f.caller });

export const questionPoints = {
  askQuestion: (m: Moment, f: Asking) =>
    f.again && m.on.lookBeforeAskingAgain ? looking(f, 'askQuestion.looked') : ask(m, f),
  'askQuestion.looked': (m: Moment, f: Asking, found: boolean | typeof THROWN) =>
    found === true ? give(true) : ask(m, f),
  'askQuestion.posted': (_: Moment, f: Asking, end: PostEnd) => {
    if (typeof end === 'object') return openQuestion(f.prompt.prompt_id, end, f.caller);
    return end === 'unknown' ? looking(f, 'askQuestion.lookedAfter') : notAsked(f, f.again);
  },
  // looksUntilFound: as often as it likes while its claim lasts.
  'askQuestion.lookedAfter': (m: Moment, f: Asking, found: boolean | typeof THROWN) => {
    const { catches, ...here } = f;
    if (found === true) return give(true);
    return m.now >= f.prompt.claimed_until
      ? notAsked(f, true)
      : perform({ do: 'wait' }, { ...here, at: 'askQuestion.paused' });
  },
  'askQuestion.paused': (_: Moment, f: Asking, waited: Waited) =>
    waited === 'again' ? looking(f, 'askQuestion.lookedAfter') : notAsked(f, true),
  'askQuestion.withdrawn': (m: Moment, _: Frame, slot: Slot | undefined) =>
    give(slot === undefined && m.on.askedAfterAll),

  confirmPosting: (_: Moment, f: Confirm) => {
    const { prompt_id } = f.prompt;
    return perform({ do: 'look', type: 'pending_prompt', prompt_id }, { ...f, at: 'confirmPosting.looked' });
  },
  'confirmPosting.looked': (_: Moment, { prompt, caller }: Confirm, seen: Look) => {
    if (seen === 'unreadable') return fail('the thread could not be read');
    return seen ? openQuestion(prompt.prompt_id, seen, caller) : give(false);
  },

  openQuestion: (m: Moment, f: Open) => {
    if (!m.on.rememberQuestions) return enter({ ...f, at: 'openQuestion.remembered' });
    const receipt = { use: 'prompt', prompt_id: f.prompt_id } as const;
    return perform({ do: 'receipt', item_id: f.posted.item_id, receipt }, { ...f, at: 'openQuestion.remembered' });
  },
  'openQuestion.remembered': (_: Moment, { prompt_id, posted, caller }: Open) =>
    changeSlot({ do: 'open', prompt_id, posted }, { at: 'openQuestion.opened', caller }),
  'openQuestion.opened': () => give(true),
} satisfies Points;

/** `again` sits in the frame once more: only a first attempt knows that nothing was posted before. */
function ask(m: Moment, { prompt, again, caller }: Asking): Next {
  const here: Asking = { at: 'askQuestion.posted', prompt, again, caller };
  if (m.on.postWithinClaim && prompt.claimed_until - m.now < POST_MS) return notAsked(here, again);
  return perform({ do: 'post', prompt }, here);
}

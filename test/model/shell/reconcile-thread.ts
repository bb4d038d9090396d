import type { StoredThread } from '#core/ports.ts';
import type { PostingPrompt } from '#core/prompt.ts';
import { postingDueAt, promptDueAt, type Slot } from '#core/prompting/slot.ts';
import { enter, type Frame, give, type Moment, type Next, type Points, perform, THROWN } from '../process.ts';
import { BACK_OFF_MS, changeSlot } from './change-slot.ts';
import { finishPrompt } from './finish-prompt.ts';
import { confirmPosting, withdrawQuestion } from './question.ts';

type Reconcile = Frame & { left: string[] };
type LeftPosting = Reconcile & { posting: PostingPrompt };

/** settlement/reconcile-thread.ts, reconcileThread. */
export const reconcileThread = (caller?: Frame | undefined): Frame => ({ at: 'reconcileThread', caller });

export const reconcileThreadPoints = {
  reconcileThread: (_: Moment, f: Frame) => perform({ do: 'read' }, { ...f, at: 'reconcileThread.read' }),
  'reconcileThread.read': (m: Moment, f: Frame, { slot }: StoredThread) => {
    const next: Reconcile = { at: 'reconcileThread.next', left: due(slot, m.now), caller: f.caller };
    const { active } = slot;
    if (active?.state !== 'posting' || postingDueAt(active) > m.now) return enter(next);
    if (!m.on.lookBeforeGivingUp) return withdrawQuestion(active, true, next);
    return confirmPosting(active, {
      ...next,
      at: 'settleLeftPosting.looked',
      posting: active,
      catches: true,
    } as LeftPosting);
  },
  'settleLeftPosting.looked': (_: Moment, f: LeftPosting, found: boolean | typeof THROWN) => {
    const { posting, catches, ...rest } = f;
    const next: Reconcile = { ...rest, at: 'reconcileThread.next' };
    return found === true ? enter(next) : withdrawQuestion(posting, true, next);
  },
  'reconcileThread.next': (_: Moment, f: Reconcile) => {
    const [prompt_id] = f.left;
    return prompt_id ? finishPrompt(prompt_id, {}, { ...f, at: 'finishLeft.finished', catches: true }) : give();
  },
  'finishLeft.finished': (m: Moment, f: Reconcile, ended: undefined | typeof THROWN) => {
    const { catches, left, ...rest } = f;
    const next: Reconcile = { ...rest, at: 'reconcileThread.next', left: left.slice(1) };
    const [prompt_id] = left;
    return ended === THROWN && prompt_id ? markFailed(m, prompt_id, next) : enter(next);
  },
} satisfies Points;

const due = ({ outbox }: Slot, now: number): string[] =>
  outbox.filter((prompt) => promptDueAt(prompt) <= now).map(({ prompt_id }) => prompt_id);

/** settlement/reconcile-thread.ts, finishLeft, where it failed. */
function markFailed({ now }: Moment, prompt_id: string, caller: Frame): Next {
  return changeSlot({ do: 'mark', prompt_id, mark: { next_attempt_at: now + BACK_OFF_MS } }, caller);
}

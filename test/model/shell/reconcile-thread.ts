import type { StoredThread } from '#core/ports.ts';
import type { PostingPrompt } from '#core/prompt.ts';
import { postingDueAt, promptDueAt, type Slot } from '#core/prompting/slot.ts';
import { enter, type Frame, give, type Moment, type Points, perform, type THROWN } from '../process.ts';
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
    return prompt_id ? finishPrompt(prompt_id, {}, { ...f, at: 'reconcileThread.finished', catches: true }) : give();
  },
  'reconcileThread.finished': (_: Moment, { catches, left, ...f }: Reconcile) =>
    enter<Reconcile>({ ...f, at: 'reconcileThread.next', left: left.slice(1) }),
} satisfies Points;

const due = ({ outbox }: Slot, now: number): string[] =>
  outbox.filter((prompt) => promptDueAt(prompt) <= now).map(({ prompt_id }) => prompt_id);

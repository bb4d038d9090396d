import type { StoredThread } from '#core/ports.ts';
import type { SettledPrompt } from '#core/prompt.ts';
import { CLAIM_MS, dropFinished, type Mark, markUnfinished, type Slot } from '#core/prompting/slot.ts';
import { outcomeMessage } from '#core/runner-message.ts';
import { THREAD } from '../../support/given.ts';
import { enter, type Frame, fail, give, type Moment, type Next, type Points, perform, THROWN } from '../process.ts';
import type { Look, PostEnd } from '../world.ts';
import { BACK_OFF_MS, changeSlot } from './change-slot.ts';
import { lookForLateLanding } from './late-landing.ts';

/** settlement/audit.ts keeps these two to itself. */
const POST_MS = 6000;
export const MAY_LAND_MS = 10_000;

type FinishPrompt = Frame & { prompt_id: string; slot?: Slot; justSettled?: true };
type AuditAndEnd = Frame & { prompt_id: string; slot: Slot; first: boolean };
type EndPrompt = Frame & { prompt_id: string; seen?: Slot; onlyGivenUp?: boolean };

/** settlement/finish-prompt.ts, finishPrompt: gives nothing; throws where the runner could not be told. */
export const finishPrompt = (
  prompt_id: string,
  known: { slot?: Slot; justSettled?: true },
  caller: Frame | undefined,
): Next => enter<FinishPrompt>({ at: 'finishPrompt', prompt_id, ...known, caller });

const auditAndEnd = (prompt_id: string, slot: Slot, first: boolean, caller: Frame | undefined): Next =>
  enter<AuditAndEnd>({ at: 'auditAndEnd', prompt_id, slot, first, caller });

export const endPrompt = (prompt_id: string, seen: Slot | undefined, caller: Frame | undefined): Next =>
  enter<EndPrompt>({ at: 'endPrompt', prompt_id, ...(seen && { seen }), caller });

export const finishPromptPoints = {
  finishPrompt: (m: Moment, f: FinishPrompt) =>
    f.slot ? begin(m, f, f.slot) : perform({ do: 'read' }, { ...f, at: 'finishPrompt.read' }),
  'finishPrompt.read': (m: Moment, f: FinishPrompt, { slot }: StoredThread) => begin(m, f, slot),
  'finishPrompt.looked': (_: Moment, f: FinishPrompt, late: Slot | 'past' | undefined) => {
    if (late === 'past') return enter<EndPrompt>({ ...slotless(f), at: 'endPrompt', onlyGivenUp: true });
    return late ? finishPrompt(f.prompt_id, { slot: late }, f.caller) : give();
  },
  'finishPrompt.notified': (
    m: Moment,
    { catches, ...f }: FinishPrompt & { slot: Slot },
    sent: undefined | typeof THROWN,
  ) => (sent === THROWN ? markUntold(m, f) : claim(m, f, f.slot)),
  'finishPrompt.untold': () => fail('the runner could not be told'),
  'finishPrompt.claimed': (_: Moment, f: FinishPrompt, saved: Slot | false) =>
    saved ? auditAndEnd(f.prompt_id, saved, false, f.caller) : give(),
  // Only without the defence `notifyBeforeAudit`.
  'finishPrompt.auditedFirst': (_: Moment, f: FinishPrompt & { slot: Slot }) => {
    const prompt = settledIn(f.slot, f.prompt_id);
    return prompt
      ? perform({ do: 'send', message: messageOf(prompt) }, { ...f, at: 'finishPrompt.notifiedLast' })
      : give();
  },
  'finishPrompt.notifiedLast': (_: Moment, f: FinishPrompt) => endPrompt(f.prompt_id, undefined, f.caller),
} satisfies Points;

function begin(m: Moment, f: FinishPrompt, slot: Slot): Next {
  const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === f.prompt_id);
  if (!prompt) return give();
  const waiting = { ...f, slot };
  if (prompt.state === 'withdrawn') {
    return lookForLateLanding(slot, prompt, { ...slotless(f), at: 'finishPrompt.looked' });
  }
  if (prompt.notified_at !== undefined) return claim(m, f, slot);
  if (!m.on.notifyBeforeAudit && f.justSettled) {
    return perform({ do: 'post', prompt }, { ...waiting, at: 'finishPrompt.auditedFirst' });
  }
  return perform(
    { do: 'send', message: messageOf(prompt) },
    { ...waiting, at: 'finishPrompt.notified', catches: true },
  );
}

/** settlement/finish-prompt.ts, notifyRunner, where it failed. */
function markUntold({ now }: Moment, { prompt_id, slot, justSettled, caller }: FinishPrompt & { slot: Slot }): Next {
  const mine = justSettled && settledIn(slot, prompt_id)?.claimed_until;
  const mark = { next_attempt_at: now + BACK_OFF_MS };
  const transition = { do: 'mark', prompt_id, mark, ...(mine !== undefined && { mine }) } as const;
  return changeSlot(transition, { at: 'finishPrompt.untold', caller }, slot);
}

function slotless({ prompt_id, caller }: FinishPrompt): Omit<FinishPrompt, 'at'> {
  return { prompt_id, caller };
}

function claim(m: Moment, f: FinishPrompt, slot: Slot): Next {
  const { prompt_id, caller } = f;
  if (f.justSettled) return auditAndEnd(prompt_id, slot, true, caller);
  if (!m.on.claimBeforeAudit) return auditAndEnd(prompt_id, slot, false, caller);
  const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === prompt_id);
  if ((prompt?.claimed_until ?? 0) > m.now) return give();
  const since = m.on.unendedClaim ? prompt?.claimed_until : undefined;
  const unended = since !== undefined && { audit_unknown_at: since };
  const mark = { notified_at: m.now, claimed_until: m.now + CLAIM_MS, ...unended };
  const claimed = markUnfinished(slot, prompt_id, mark);
  if (!claimed) return give();
  return perform({ do: 'save', slot: claimed }, { at: 'finishPrompt.claimed', prompt_id, caller });
}

/** settlement/finish-prompt.ts, auditAndEnd, with settlement/audit.ts, auditPrompt. */
export const auditAndEndPoints = {
  auditAndEnd: (m: Moment, f: AuditAndEnd) => {
    if (f.first || !m.on.lookBeforeRepost) return post(m, f);
    const { prompt_id } = f;
    return perform({ do: 'look', type: 'pending_prompt_resolved', prompt_id }, { ...f, at: 'auditAndEnd.looked' });
  },
  'auditAndEnd.looked': (m: Moment, f: AuditAndEnd, seen: Look) => {
    if (seen === 'unreadable') return owed(m, f, {});
    if (seen) return endPrompt(f.prompt_id, f.slot, f.caller);
    const since = settledIn(f.slot, f.prompt_id)?.audit_unknown_at ?? Number.NEGATIVE_INFINITY;
    const not_before = since + MAY_LAND_MS;
    return m.on.waitForUnknownAudit && m.now < not_before ? owed(m, f, { next_attempt_at: not_before }) : post(m, f);
  },
  'auditAndEnd.posted': (m: Moment, f: AuditAndEnd, end: PostEnd) => {
    if (typeof end === 'object') return endPrompt(f.prompt_id, f.slot, f.caller);
    return owed(m, f, end === 'unknown' ? { audit_unknown_at: m.now } : {});
  },
} satisfies Points;

function post(m: Moment, f: AuditAndEnd): Next {
  const prompt = settledIn(f.slot, f.prompt_id);
  if (!prompt) return give();
  if (m.on.postWithinClaim && m.on.claimBeforeAudit && (prompt.claimed_until ?? 0) - m.now < POST_MS)
    return owed(m, f, {});
  return perform({ do: 'post', prompt }, { ...f, at: 'auditAndEnd.posted' });
}

function owed({ now }: Moment, { prompt_id, slot, caller }: AuditAndEnd, mark: Mark): Next {
  const marked = { notified_at: now, next_attempt_at: now + BACK_OFF_MS, ...mark };
  const mine = settledIn(slot, prompt_id)?.claimed_until ?? 0;
  return changeSlot({ do: 'mark', prompt_id, mark: marked, mine }, caller, slot);
}

/** settlement/finish-prompt.ts, endPrompt. */
export const endPromptPoints = {
  endPrompt: (m: Moment, f: EndPrompt) =>
    f.seen ? end(m, f, f.seen) : perform({ do: 'read' }, { ...f, at: 'endPrompt.read' }),
  'endPrompt.read': (m: Moment, f: EndPrompt, { slot }: StoredThread) => end(m, f, slot),
  'endPrompt.kept': (_: Moment, { seen, ...f }: EndPrompt & { seen: Slot }) => {
    const dropped = dropFinished(seen, f.prompt_id);
    return dropped ? perform({ do: 'save', slot: dropped }, { ...f, at: 'endPrompt.dropped' }) : give();
  },
  'endPrompt.dropped': (_: Moment, f: EndPrompt, saved: Slot | false) =>
    saved ? give() : enter({ ...f, at: 'endPrompt' }),
  // Only without the defence `historyBeforeDrop`.
  'endPrompt.droppedFirst': (_: Moment, f: EndPrompt & { seen: Slot }, saved: Slot | false) => {
    const prompt = f.seen.outbox.find((unfinished) => unfinished.prompt_id === f.prompt_id);
    if (!saved || !prompt) return endPrompt(f.prompt_id, undefined, f.caller);
    return perform({ do: 'keep', prompt }, { ...f, at: 'endPrompt.keptLast' });
  },
  'endPrompt.keptLast': () => give(),
} satisfies Points;

function end(m: Moment, f: EndPrompt, slot: Slot): Next {
  const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === f.prompt_id);
  const dropped = dropFinished(slot, f.prompt_id);
  if (!prompt || !dropped) return give();
  if (f.onlyGivenUp && m.on.dropOnlyAsSeen && prompt.state !== 'withdrawn') return give();
  const waiting = { ...f, seen: slot };
  if (m.on.historyBeforeDrop) return perform({ do: 'keep', prompt }, { ...waiting, at: 'endPrompt.kept' });
  return perform({ do: 'save', slot: dropped }, { ...waiting, at: 'endPrompt.droppedFirst' });
}

function settledIn(slot: Slot, prompt_id: string): SettledPrompt | undefined {
  const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === prompt_id);
  return prompt?.state === 'withdrawn' ? undefined : prompt;
}

/** The answering item is small here, so the record keeps it; settlement/finish-prompt.ts, notifyRunner. */
function messageOf(prompt: SettledPrompt) {
  return outcomeMessage(THREAD, prompt, prompt.state === 'answered' ? prompt.item : undefined);
}

import { SlotTooLargeError } from '#core/errors.ts';
import type { Ports } from '#core/ports.ts';
import type { PostingPrompt } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import { beginPosting, POSTING_CLAIM_MS, type Slot, takeOverPosting } from '#core/prompting/slot.ts';
import type { RaiseRequest } from '#core/raise.ts';
import type { Thread } from '#core/thread.ts';
import { finishOrLeave } from '#settlement/finish-prompt.ts';
import { askQuestion, confirmPosting, withdrawQuestion } from '#settlement/question.ts';
import { CALL_BUDGET_MS, type CallAnswer, PAUSE_MS, unavailable } from './call.ts';
import { findByRequest, findPrompt } from './find-prompt.ts';
import { shownPrompt } from './shown-prompt.ts';

type Begun = { prompt: PostingPrompt; slot: Slot; again: boolean; superseded?: string };

/** Protocol steps 1 to 3. The same `request_id` again returns the same prompt in its present state (P1). */
export async function raisePrompt(ports: Ports, thread: Thread, raise: RaiseRequest): Promise<CallAnswer> {
  const begun = await beginPrompt(ports, thread, raise);
  if ('status' in begun) return begun;

  const { prompt, superseded } = begun;
  // P5: the runner is told and the audit item is posted, then the new question. A failure does not hold it up (P9).
  if (superseded !== undefined) {
    await finishOrLeave(ports, thread, superseded, { slot: begun.slot, justSettled: true });
  }
  const asked = await askQuestion(ports, thread, prompt, begun.again);
  if (!asked.asked) {
    ports.telemetry.info(
      'prompt_unavailable',
      { prompt_id: prompt.prompt_id, why: asked.why },
      { PromptUnavailable: 1 },
    );
    return unavailable(asked.why);
  }
  const present = findPrompt(await ports.store.read(thread, keyOf(prompt.prompt_id)), prompt.prompt_id);
  if (!present || present.state === 'withdrawn') return unavailable('another call gave the question up');
  ports.telemetry.info(
    'prompt_raised',
    { prompt_id: prompt.prompt_id, kind: prompt.kind, superseded },
    { PromptRaised: 1 },
  );
  return shown(ports, thread, present, 201, superseded);
}

/** Takes the slot by one conditional write, or answers: with the same prompt, or that it can't be asked now. */
async function beginPrompt(ports: Ports, thread: Thread, raise: RaiseRequest): Promise<Begun | CallAnswer> {
  const { store, clock } = ports;
  const giveUpAt = clock.now() + CALL_BUDGET_MS;
  const fresh = ports.mintPromptId(thread, raise.request_id, clock.now());
  for (;;) {
    const state = await store.read(thread, keyOf(fresh));
    const { active, outbox } = state.slot;
    const earlier = findByRequest(state, requestKeyOf(fresh));
    if (earlier?.state === 'withdrawn')
      return unavailable('this question was given up, as nobody knows if it was posted');
    if (earlier && earlier.state !== 'posting') return shown(ports, thread, earlier, 200);
    const now = clock.now();
    const next = earlier
      ? takeOverPosting(state.slot, earlier.prompt_id, now)
      : beginPosting(state.slot, postingPrompt(raise, fresh, now), now);
    if (!next && active?.state === 'posting') {
      if (now > giveUpAt) return unavailable('another call is still posting a question to this thread');
      await settlePosting(ports, thread, active);
      continue;
    }
    if (!next) {
      // The outbox is full: the host has been refusing audit items for a while.
      if (now > giveUpAt || !(await finishOldest(ports, thread, outbox[0]?.prompt_id))) return outboxFull();
      continue;
    }
    const owned = raise.runner === undefined ? next : { ...next, runner: raise.runner };
    try {
      if (!(await store.save(thread, owned))) continue;
    } catch (error) {
      if (error instanceof SlotTooLargeError) return outboxFull();
      throw error;
    }
    const slot = { ...owned, rev: owned.rev + 1 };
    const superseded = earlier ? undefined : active?.prompt_id;
    return { prompt: owned.active, slot, again: earlier !== undefined, ...(superseded && { superseded }) };
  }
}

/** Another call's posting: wait while it is at work; what it left behind is opened, or withdrawn and watched for. */
async function settlePosting(ports: Ports, thread: Thread, posting: PostingPrompt): Promise<void> {
  if (ports.clock.now() < posting.claimed_until) return ports.clock.wait(PAUSE_MS);
  const found = await confirmPosting(ports, thread, posting).catch(() => false);
  if (!found) await withdrawQuestion(ports, thread, posting, true);
}

async function finishOldest(ports: Ports, thread: Thread, prompt_id = ''): Promise<boolean> {
  await finishOrLeave(ports, thread, prompt_id);
  const { slot } = await ports.store.read(thread);
  return !slot.outbox.some((prompt) => prompt.prompt_id === prompt_id);
}

function postingPrompt(raise: RaiseRequest, prompt_id: string, now: number): PostingPrompt {
  const { kind, questions, request_id, session, allowed_user_ids } = raise;
  return {
    prompt_id,
    kind,
    questions,
    request_id,
    ...(session !== undefined && { session }),
    ...(allowed_user_ids && { allowed_user_ids }),
    raised_at: now,
    state: 'posting',
    claimed_until: now + POSTING_CLAIM_MS,
  };
}

const keyOf = (prompt_id: string) => ({ requestKey: requestKeyOf(prompt_id) });

async function shown(
  ports: Ports,
  thread: Thread,
  prompt: Parameters<typeof shownPrompt>[2],
  status: number,
  superseded?: string,
): Promise<CallAnswer> {
  const view = await shownPrompt(ports, thread, prompt);
  const item_id = 'item_id' in view ? view.item_id : undefined;
  return { status, answer: { prompt: view, item_id, ...(superseded !== undefined && { superseded }) } };
}

const outboxFull = () => unavailable('earlier prompts of this thread still wait for their audit items to be posted');

import { NotFinishedYetError, NotOpenYetError } from '#core/errors.ts';
import type { Item } from '#core/item.ts';
import type { Mapping } from '#core/mapping/map-answers.ts';
import type { Ports, StoredThread } from '#core/ports.ts';
import type { Outcome } from '#core/prompt.ts';
import { type Decision, decide } from '#core/prompting/decide.ts';
import { isJustAnswered, KEPT_ITEM_BYTES, settle } from '#core/prompting/slot.ts';
import { nextTurnMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { utf8Bytes } from '#core/utf8.ts';
import { DEFAULT_RUNNER, finishPrompt } from '#settlement/finish-prompt.ts';
import { confirmPosting } from '#settlement/question.ts';
import { confirmAudited, confirmPosted } from './confirm-own-item.ts';

/**
 * Protocol step 5, the whole story of one inbound item: read, decide, one conditional write, notify, audit. A lost write
 * says nothing, perhaps it was our own: everything is read and decided again.
 * @returns what became of the item
 * @throws to have the item delivered again later
 */
export async function resolveItem(ports: Ports, thread: Thread, item: Item): Promise<Decision> {
  const ownUserId = await ownUser(ports);
  for (;;) {
    const state = await ports.store.read(thread, { items: [item.id, ...(item.parent_id ? [item.parent_id] : [])] });
    const decision = decide({ ...state, ownUserId }, item);
    switch (decision.do) {
      case 'ignore':
        return decision;
      case 'finish':
        await finishPrompt(ports, thread, decision.prompt_id, { slot: state.slot, item });
        if (await isLeftToItsMessage(ports, thread, decision.prompt_id)) {
          throw new NotFinishedYetError('another worker may be at it');
        }
        return decision;
      case 'wait':
        if (await confirmPosting(ports, thread, decision.prompt)) continue;
        throw new NotOpenYetError('the question is on its way to the thread');
      case 'settle': {
        const { prompt_id } = decision.prompt;
        const settled = settle(state.slot, prompt_id, answeredBy(item, decision), ports.clock.now());
        if (!settled || !(await ports.store.save(thread, settled))) continue;
        const slot = { ...settled, rev: settled.rev + 1 };
        await finishPrompt(ports, thread, prompt_id, { slot, item, justSettled: true });
        return decision;
      }
      case 'next_turn':
        if (await wasUsed(ports, thread, item)) continue;
        await queueNextTurn(ports, thread, item, state, decision.stale_for);
        return decision;
      case 'confirm_posted':
        await confirmPosted(ports, thread, decision.prompt_id, item, state);
        return decision;
      case 'confirm_audited':
        await confirmAudited(ports, thread, decision.prompt_id, state);
        return decision;
      default:
        return decision satisfies never;
    }
  }
}

/** Deleted now, nothing would find the prompt again: no reconciler knows of it yet. */
async function isLeftToItsMessage({ store }: Ports, thread: Thread, prompt_id: string): Promise<boolean> {
  const { slot } = await store.read(thread);
  return slot.outbox.some((prompt) => prompt.prompt_id === prompt_id && isJustAnswered(prompt));
}

/** Unknown, nothing can answer, as any item might be our own (A6): the item comes again, and the operator is told. */
async function ownUser({ threadHost, telemetry }: Ports): Promise<string> {
  return threadHost.ownUserId().catch((error) => {
    telemetry.failure('own_user_unknown', error, {}, { OwnUserUnknown: 1 });
    throw error;
  });
}

/**
 * Slot and receipt were read together, which is no snapshot: another worker with this item may have settled, finished and
 * dropped its prompt in between. The receipt is written before that, so that a second look sees it.
 */
async function wasUsed({ store }: Ports, thread: Thread, { id }: Item): Promise<boolean> {
  return (await store.read(thread, { items: [id] })).receipts.has(id);
}

/** The item goes on as (a part of) the agent's next turn; the receipt comes after, so that a crash sends it again. */
async function queueNextTurn(ports: Ports, thread: Thread, item: Item, { slot }: StoredThread, staleFor?: string) {
  await ports.runnerQueues.send(slot.runner ?? DEFAULT_RUNNER, nextTurnMessage(thread, item, staleFor));
  await ports.store.putReceipt(thread, item.id, { use: 'next_turn' });
}

function answeredBy(item: Item, { answers }: { answers: NonNullable<Mapping['answers']> }): Outcome {
  const { id, user_id, created_at } = item;
  const isKept = utf8Bytes(JSON.stringify(item)) <= KEPT_ITEM_BYTES;
  return { state: 'answered', answers, answered_by: { item_id: id, user_id, created_at }, ...(isKept && { item }) };
}

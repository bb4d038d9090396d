import type { Item } from '#core/item.ts';
import type { StoredThread } from '#core/ports.ts';
import type { Outcome } from '#core/prompt.ts';
import type { Decision } from '#core/prompting/decide.ts';
import { isJustAnswered, type Slot, settle } from '#core/prompting/slot.ts';
import { nextTurnMessage } from '#core/runner-message.ts';
import { THREAD } from '../../support/given.ts';
import type { Defences } from '../defences.ts';
import { type Frame, fail, give, type Moment, type Next, type Points, perform } from '../process.ts';
import { confirmAudited, confirmPosted } from './confirm-own-item.ts';
import { decideWith } from './decide-with.ts';
import { finishPrompt } from './finish-prompt.ts';
import { confirmPosting } from './question.ts';

type Resolve = Frame & { item: Item };
/** Of a duplicate something was made before. */
type Became = Decision['do'] | 'duplicate';
type Finishing = Resolve & { prompt_id: string };
type NextTurn = Resolve & { staleFor?: string };
type Deciding = Resolve & { became: Became };

/** One message of the queue: resolver/resolve-item.ts, then the event source mapping deletes it, unless it threw. */
export const resolveMessage = (item: Item, on: Defences): Frame =>
  ({
    at: on.durableBeforeDelete ? 'resolveMessage' : 'resolveMessage.deletedFirst',
    item,
  }) as Resolve;

const resolveItem = (item: Item, caller: Frame | undefined): Next =>
  perform({ do: 'read', items: [item.id, ...(item.parent_id ? [item.parent_id] : [])] }, {
    at: 'resolveItem.read',
    item,
    caller,
  } as Resolve);

export const resolveItemPoints = {
  resolveMessage: (_: Moment, f: Resolve) => resolveItem(f.item, { ...f, at: 'resolveMessage.resolved' }),
  'resolveMessage.resolved': (_: Moment, { item }: Resolve, became: Became) =>
    perform(
      { do: 'delete', item_id: item.id, ...(became === 'ignore' && { ignored: true }) },
      { at: 'resolveMessage.end' },
    ),
  'resolveMessage.end': () => give(),
  // Only without the defence `durableBeforeDelete`.
  'resolveMessage.deletedFirst': (_: Moment, { item }: Resolve) =>
    perform({ do: 'delete', item_id: item.id }, { at: 'resolveMessage.deleted', item } as Resolve),
  'resolveMessage.deleted': (_: Moment, { item }: Resolve) => resolveItem(item, undefined),

  'resolveItem.read': (m: Moment, f: Resolve, state: StoredThread) => act(m, f, state),
  'resolveItem.finished': ({ on }: Moment, f: Finishing) =>
    on.keepMessage ? perform({ do: 'read' }, { ...f, at: 'resolveItem.finishedRead' }) : give('finish'),
  'resolveItem.finishedRead': (_: Moment, { prompt_id }: Finishing, { slot }: StoredThread) =>
    slot.outbox.some((prompt) => prompt.prompt_id === prompt_id && isJustAnswered(prompt))
      ? fail('another worker may be at it')
      : give('finish'),
  'resolveItem.saved': (m: Moment, f: Resolve & { prompt_id: string }, saved: Slot | false) => {
    const { item, prompt_id } = f;
    if (saved) return finishPrompt(prompt_id, { slot: saved, justSettled: true }, done(f, 'settle'));
    return m.on.readAgain ? resolveItem(item, f.caller) : nextTurn(f, undefined);
  },
  'resolveItem.confirmed': (_: Moment, { item, caller }: Resolve, found: boolean) =>
    found ? resolveItem(item, caller) : fail('the question is on its way to the thread'),
  'resolveItem.readAgain': ({ on }: Moment, f: NextTurn, { receipts }: StoredThread) =>
    on.receipt && receipts.has(f.item.id) ? resolveItem(f.item, f.caller) : nextTurn(f, f.staleFor),
  'resolveItem.sent': (_: Moment, f: Resolve) =>
    perform({ do: 'receipt', item_id: f.item.id, receipt: { use: 'next_turn' } }, done(f, 'next_turn')),
  // Only without the defence `sendBeforeReceipt`.
  'resolveItem.receiptFirst': (_: Moment, f: NextTurn) =>
    perform({ do: 'send', message: nextTurnMessage(THREAD, f.item, f.staleFor) }, done(f, 'next_turn')),
  'resolveItem.done': (_: Moment, f: Deciding) => give(f.became),
} satisfies Points;

const done = ({ item, caller }: Resolve, became: Became): Deciding => ({
  at: 'resolveItem.done',
  item,
  became,
  caller,
});

function act(m: Moment, f: Resolve, stored: StoredThread): Next {
  const { item, caller } = f;
  const decision = decideWith(m.on, stored, item);
  switch (decision.do) {
    case 'ignore':
      return give(decision.because === 'duplicate' ? 'duplicate' : 'ignore');
    case 'finish':
      return finishPrompt(decision.prompt_id, { slot: stored.slot }, {
        ...f,
        at: 'resolveItem.finished',
        prompt_id: decision.prompt_id,
      } as Finishing);
    case 'wait':
      return confirmPosting(decision.prompt, { at: 'resolveItem.confirmed', item, caller } as Resolve);
    case 'settle': {
      const { prompt_id } = decision.prompt;
      const { id, user_id, created_at } = item;
      const answered_by = { item_id: id, user_id, created_at };
      const outcome: Outcome = { state: 'answered', answers: decision.answers, answered_by, item };
      const settled = settle(stored.slot, prompt_id, outcome, m.now);
      if (!settled) return resolveItem(item, caller);
      const waiting = { at: 'resolveItem.saved', item, prompt_id, caller };
      return perform({ do: 'save', slot: settled }, waiting);
    }
    case 'next_turn':
      return queueNextTurn(m, { ...f, ...(decision.stale_for && { staleFor: decision.stale_for }) });
    case 'confirm_posted':
      return confirmPosted(decision.prompt_id, item, stored, done(f, decision.do));
    case 'confirm_audited':
      return confirmAudited(m, decision.prompt_id, stored, done(f, decision.do));
  }
}

function queueNextTurn({ on }: Moment, f: NextTurn): Next {
  const item_id = f.item.id;
  if (!on.sendBeforeReceipt) {
    return perform({ do: 'receipt', item_id, receipt: { use: 'next_turn' } }, { ...f, at: 'resolveItem.receiptFirst' });
  }
  if (!on.receiptReadAgain) return nextTurn(f, f.staleFor);
  return perform({ do: 'read', items: [item_id] }, { ...f, at: 'resolveItem.readAgain' });
}

function nextTurn(f: Resolve, staleFor: string | undefined): Next {
  return perform({ do: 'send', message: nextTurnMessage(THREAD, f.item, staleFor) }, { ...f, at: 'resolveItem.sent' });
}

import type { Item } from '#core/item.ts';
import type { StoredThread } from '#core/ports.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import type { Posted, Slot } from '#core/prompting/slot.ts';
import { type Frame, give, type Moment, type Next, type Points, perform } from '../process.ts';
import { endPrompt, finishPrompt } from './finish-prompt.ts';
import { closeLateLanding } from './late-landing.ts';
import { openQuestion } from './question.ts';

type Confirming = Frame & { prompt_id: string; posted: Posted };

/** resolver/confirm-own-item.ts, confirmPosted. */
export function confirmPosted(prompt_id: string, item: Item, { slot }: StoredThread, caller: Frame): Next {
  const posted = { item_id: item.id, posted_at: item.created_at };
  const { active, outbox } = slot;
  if (outbox.some((prompt) => prompt.prompt_id === prompt_id && prompt.state !== 'withdrawn')) return giveTo(caller);
  if (active?.prompt_id === prompt_id) {
    return active.state === 'posting' ? openQuestion(prompt_id, posted, caller) : giveTo(caller);
  }
  const waiting: Confirming = { at: 'confirmPosted.read', prompt_id, posted, caller };
  return perform({ do: 'read', request: requestKeyOf(prompt_id) }, waiting);
}

/** resolver/confirm-own-item.ts, confirmAudited. */
export function confirmAudited({ now }: Moment, prompt_id: string, { slot }: StoredThread, caller: Frame): Next {
  const prompt = slot.outbox.find((unfinished) => unfinished.prompt_id === prompt_id);
  if (!prompt || prompt.state === 'withdrawn' || (prompt.claimed_until ?? 0) > now) return giveTo(caller);
  return endPrompt(prompt_id, slot, caller);
}

export const confirmOwnItemPoints = {
  'confirmPosted.read': (_: Moment, { prompt_id, posted, caller }: Confirming, known: StoredThread) => {
    const late = [...known.slot.outbox, known.past].find((prompt) => prompt?.prompt_id === prompt_id);
    if (late?.state !== 'withdrawn') return give();
    return closeLateLanding(known.slot, late, posted, {
      at: 'confirmPosted.closed',
      prompt_id,
      caller,
    } as Frame);
  },
  'confirmPosted.closed': (_: Moment, { prompt_id, caller }: Confirming, slot: Slot | undefined) =>
    slot ? finishPrompt(prompt_id, { slot }, caller) : give(),
  /** A function that returned without a side effect. */
  nothingToDo: () => give(),
} satisfies Points;

const giveTo = (caller: Frame): Next => ({ enter: { at: 'nothingToDo', caller } });

import { HOST_ID_LIMIT } from '#core/host-schemas.ts';
import { isLater } from '#core/instant.ts';
import { hasOtherContent, type Item, metadataField, ownField } from '#core/item.ts';
import { type Mapping, mapAnswers } from '#core/mapping/map-answers.ts';
import type { Answer, OpenPrompt, PostingPrompt } from '#core/prompt.ts';
import { ANSWERS_LIMIT_BYTES, type Slot } from '#core/prompting/slot.ts';
import { utf8Bytes } from '#core/utf8.ts';

/** What an inbound item was used for, remembered so that a late delivery of it does nothing new (A4). */
export type Receipt = { use: 'answer' | 'prompt'; prompt_id: string } | { use: 'next_turn' };

export type ThreadState = {
  slot: Slot;
  /** By item id: of this item, and of the item it replies to (`parent_id`). */
  receipts: ReadonlyMap<string, Receipt>;
  /** The runner's own user at the thread host. */
  ownUserId: string;
};

export type IgnoredBecause = 'duplicate' | 'own_item' | 'typed_item' | 'empty_item';
export type NextTurnBecause =
  | 'no_open_prompt'
  | 'written_before_the_question'
  | 'names_another_prompt'
  | 'not_allowed'
  | 'no_text'
  | 'answer_too_large';

/** What to do with one inbound item: protocol step 5 of DESIGN. */
export type Decision =
  | { do: 'settle'; prompt: OpenPrompt; answers: Answer[]; mapping: Mapping }
  | { do: 'next_turn'; because: NextTurnBecause; stale_for?: string }
  | { do: 'finish'; prompt_id: string }
  | { do: 'wait'; prompt: PostingPrompt }
  | { do: 'confirm_posted'; prompt_id: string }
  | { do: 'confirm_audited'; prompt_id: string }
  | { do: 'ignore'; because: IgnoredBecause };

/** The whole decision, without a side effect. It is made again from fresh state whenever its write is lost. */
export function decide(state: ThreadState, item: Item): Decision {
  if (item.user_id === state.ownUserId || state.receipts.get(item.id)?.use === 'prompt') return ownItem(item);
  if (hasType(item)) return { do: 'ignore', because: 'typed_item' };

  const answered = state.slot.outbox.find((p) => p.state === 'answered' && p.answered_by.item_id === item.id);
  if (answered) return { do: 'finish', prompt_id: answered.prompt_id };
  if (state.receipts.has(item.id)) return { do: 'ignore', because: 'duplicate' };

  const { active } = state.slot;
  if (active?.state === 'posting') return { do: 'wait', prompt: active };
  const stale_for = namesAnother(state, item);
  if (stale_for !== undefined) return { do: 'next_turn', because: 'names_another_prompt', stale_for };
  return active ? answerOrNextTurn(active, item) : { do: 'next_turn', because: 'no_open_prompt' };
}

function answerOrNextTurn(prompt: OpenPrompt, item: Item): Decision {
  if (!isLater(item.created_at, prompt.posted_at)) return { do: 'next_turn', because: 'written_before_the_question' };
  if (prompt.allowed_user_ids && !prompt.allowed_user_ids.includes(item.user_id)) {
    return { do: 'next_turn', because: 'not_allowed' };
  }
  const mapping = mapAnswers(prompt, item);
  if (!mapping.answers) {
    if (hasOtherContent(item)) return { do: 'next_turn', because: 'no_text' };
    return { do: 'ignore', because: 'empty_item' };
  }
  if (utf8Bytes(JSON.stringify(mapping.answers)) > ANSWERS_LIMIT_BYTES) {
    return { do: 'next_turn', because: 'answer_too_large' };
  }
  return { do: 'settle', prompt, answers: mapping.answers, mapping };
}

/** Our own items never answer (A6); the two kinds that we post confirm that they are on the thread (T4). */
function ownItem(item: Item): Decision {
  const type = metadataField(item, 'type');
  const prompt_id = ownField(metadataField(item, 'prompt'), 'prompt_id');
  if (typeof prompt_id === 'string' && type === 'pending_prompt') return { do: 'confirm_posted', prompt_id };
  if (typeof prompt_id === 'string' && type === 'pending_prompt_resolved') return { do: 'confirm_audited', prompt_id };
  return { do: 'ignore', because: 'own_item' };
}

function hasType(item: Item): boolean {
  const type = metadataField(item, 'type');
  return type !== undefined && type !== null;
}

/**
 * The prompt that an item names, by metadata or by replying to a prompt item, if it is not the open one (A5). An endless
 * name is no prompt's, and as much of it is told as a message can hold (I13).
 */
function namesAnother({ slot, receipts }: ThreadState, item: Item): string | undefined {
  const repliedTo = receipts.get(item.parent_id ?? '');
  const names = [
    metadataField(item, 'prompt_id'),
    ownField(metadataField(item, 'prompt'), 'prompt_id'),
    repliedTo?.use === 'prompt' ? repliedTo.prompt_id : undefined,
  ];
  const other = names.filter((name) => typeof name === 'string').find((name) => name !== slot.active?.prompt_id);
  return other?.slice(0, HOST_ID_LIMIT);
}

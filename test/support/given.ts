import type { Item } from '#core/item.ts';
import type { OpenPrompt, PostingPrompt, SettledPrompt } from '#core/prompt.ts';
import type { Slot } from '#core/prompting/slot.ts';

/** Ready-made shapes for tests; every field can be overridden, none is looked at by accident. */
export const PROMPT_ID = 'prm_01J00000000000000000000001';
export const OTHER_PROMPT_ID = 'prm_01J00000000000000000000002';
export const THREAD = { revision_id: 'rev_1', session_id: 'ses_1', alias: 'main' };
export const OWN_USER = 'usr_runner';

/** The n-th microsecond of a certain second, as the host stamps it. */
export const at = (micros: number): string => `2026-05-28T12:00:00.${String(micros).padStart(6, '0')}+00:00`;

export function item(text: string, more: Partial<Item> = {}): Item {
  return { id: 'itm_1', user_id: 'usr_anna', created_at: at(200), content: [{ type: 'text', text }], ...more };
}

const raised = {
  prompt_id: PROMPT_ID,
  kind: 'approval' as const,
  questions: [{ question: 'Run it?', options: [{ label: 'Approve' }, { label: 'Deny' }] }],
  request_id: 'req_1',
  raised_at: 1000,
};

export function posting(more: Partial<PostingPrompt> = {}): PostingPrompt {
  return { ...raised, state: 'posting', claimed_until: 21_000, ...more };
}

export function open(more: Partial<OpenPrompt> = {}): OpenPrompt {
  return { ...raised, state: 'open', item_id: 'itm_question', posted_at: at(100), ...more };
}

export function answered(more: Partial<SettledPrompt> = {}): SettledPrompt {
  const { state, ...prompt } = open();
  return {
    ...prompt,
    state: 'answered',
    answers: [{ question: 'Run it?', answer: ['Approve'] }],
    answered_by: { item_id: 'itm_1', user_id: 'usr_anna', created_at: at(200) },
    settled_at: 5000,
    claimed_until: 20_000,
    ...more,
  } as SettledPrompt;
}

export function slotWith(more: Partial<Slot> = {}): Slot {
  return { rev: 3, outbox: [], ...more };
}

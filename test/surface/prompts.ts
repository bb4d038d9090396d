import type { Item } from '#core/item.ts';
import type { Question } from '#core/prompt.ts';
import type { AskedPrompt } from '../../surface/read-prompt.ts';

export const APPROVAL: AskedPrompt = {
  prompt_id: 'prm_1',
  kind: 'approval',
  questions: [{ question: 'Run it?', options: [{ label: 'Approve' }, { label: 'Deny' }] }],
};
export const TARGET: Question = { question: 'Where?', options: [{ label: 'staging' }, { label: 'production' }] };
export const SECTIONS: Question = {
  question: 'Which?',
  multiSelect: true,
  options: [{ label: 'KPI cards' }, { label: 'Table' }, { label: 'Chart' }],
};
export const STYLE: Question = { question: 'Any style?' };
export const FORM: AskedPrompt = {
  prompt_id: 'prm_2',
  kind: 'ask_user_question',
  questions: [TARGET, SECTIONS, STYLE],
};

let stamp = 0;
/** The next item of a thread. */
export function itemBy(user_id: string, text: string, metadata?: unknown): Item {
  const n = ++stamp;
  return {
    id: `itm_${n}`,
    created_at: `2026-05-28T12:00:00.${String(n).padStart(6, '0')}+00:00`,
    user_id,
    content: [{ type: 'text', text }],
    ...(metadata !== undefined && { metadata }),
  };
}

export const asked = (prompt: object, by = 'usr_runner') =>
  itemBy(by, 'the question', { type: 'pending_prompt', prompt: { prompt_state: 'pending', ...prompt } });
export const audited = (prompt: object, by = 'usr_runner') =>
  itemBy(by, 'the outcome', { type: 'pending_prompt_resolved', prompt });

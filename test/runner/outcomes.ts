import type { Item } from '#core/item.ts';
import type { Outcome } from '../../runner/ask.ts';

export function item(text: string): Item {
  return {
    id: 'i1',
    created_at: '2026-12-01T12:00:00.000000+00:00',
    user_id: 'usr_anna',
    content: [{ type: 'text', text }],
  };
}

export function answered(answers: string[][], text = ''): Extract<Outcome, { state: 'answered' }> {
  return {
    state: 'answered',
    answers: answers.map((answer, n) => ({ question: `question ${n}`, answer })),
    item: item(text),
  };
}

import { expect, it } from 'vitest';
import { promptView } from '#core/prompt-view.ts';
import { answered, open, PROMPT_ID, posting } from '../support/given.ts';

const shown = {
  prompt_id: PROMPT_ID,
  kind: 'approval',
  prompt_state: 'pending',
  questions: [{ question: 'Run it?', options: [{ label: 'Approve' }, { label: 'Deny' }] }],
  request_id: 'req_1',
};
const session = { conversation: 'c' };

it.each([
  ['a prompt on its way is pending, without an item', posting(), shown],
  ['an open prompt is pending', open(), { ...shown, item_id: 'itm_question' }],
  ['an open prompt with a session', open({ session }), { ...shown, item_id: 'itm_question', session }],
  ['an open prompt with a session null', open({ session: null }), { ...shown, item_id: 'itm_question', session: null }],
  [
    'an answered prompt has answers and no reason',
    answered({ session }),
    {
      ...shown,
      prompt_state: 'answered',
      item_id: 'itm_question',
      session,
      answers: [{ question: 'Run it?', answer: ['Approve'] }],
    },
  ],
  [
    'a cancelled prompt has a reason and no answers',
    { ...open(), state: 'cancelled', reason: 'the run ended', settled_at: 5000 } as const,
    { ...shown, prompt_state: 'cancelled', item_id: 'itm_question', reason: 'the run ended' },
  ],
])('%s', (_, prompt, view) => {
  expect(promptView(prompt)).toStrictEqual(view);
});

import { expect, it } from 'vitest';
import { readPrompt, readPromptId } from '../../surface/read-prompt.ts';
import { APPROVAL, asked, FORM, itemBy, STYLE } from './prompts.ts';

it('reads a prompt with all that it holds, and what nobody here knows with it', () => {
  const question = { ...STYLE, multiSelect: null, options: null, newer: 1 };
  const prompt = { ...FORM, questions: [question], allowed_user_ids: ['usr_anna'], newer: 2 };
  const { newer: _newer, ...known } = prompt;
  expect(readPrompt(asked(prompt))).toEqual(known);
  expect(readPrompt(asked(APPROVAL))).toEqual(APPROVAL);
});

const withQuestion = (fields: object) => asked({ ...FORM, questions: [{ ...STYLE, ...fields }] });

it.each<[string, { metadata?: unknown }]>([
  ['no metadata', {}],
  ['metadata that is no object', { metadata: 'x' }],
  ['another type', itemBy('u', 'x', { type: 'note', prompt: FORM })],
  ['a prompt that is inherited', itemBy('u', 'x', Object.create({ type: 'pending_prompt', prompt: FORM }))],
  ['a resolved prompt', asked({ ...FORM, prompt_state: 'answered' })],
  ['no id', asked({ ...FORM, prompt_id: undefined })],
  ['a kind of a newer version', asked({ ...FORM, kind: 'picture' })],
  ['no questions', asked({ ...FORM, questions: [] })],
  ['questions that are no list', asked({ ...FORM, questions: { length: 1 } })],
  ['a question that is null', asked({ ...FORM, questions: [null] })],
  ['a blank question', withQuestion({ question: ' ' })],
  ['multiSelect that is a text', withQuestion({ multiSelect: 'false' })],
  ['options that are no list', withQuestion({ options: 'abc' })],
  ['an option that is a text', withQuestion({ options: ['abc'] })],
  ['a blank label', withQuestion({ options: [{ label: '' }] })],
  ['a description that is an object', withQuestion({ options: [{ label: 'a', description: {} }] })],
  ['an approval whose buttons say something else', asked({ ...FORM, kind: 'approval', questions: [STYLE] })],
  [
    'an approval with its buttons exchanged',
    asked({ ...APPROVAL, questions: [{ question: 'x', options: [{ label: 'Deny' }, { label: 'Approve' }] }] }),
  ],
  [
    'an approval with one button of both names',
    asked({ ...APPROVAL, questions: [{ question: 'x', options: [{ label: 'Approve,Deny' }] }] }),
  ],
  ['an approval of two questions', asked({ ...APPROVAL, questions: [...APPROVAL.questions, ...APPROVAL.questions] })],
  ['a text prompt with options', asked({ ...APPROVAL, kind: 'text' })],
])('shows no form for %s', (_name, item) => {
  expect(readPrompt(item)).toBeUndefined();
});

it('knows the id of a prompt that it cannot show', () => {
  expect(readPromptId(asked({ ...FORM, kind: 'picture' }))).toBe('prm_2');
  expect(readPromptId(asked({ prompt_id: 1 }))).toBeUndefined();
});

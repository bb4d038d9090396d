import { expect, it } from 'vitest';
import { questionsOf, withAnswers } from '../../../runner/claude/ask-user-question.ts';
import { hookOf } from './frames.ts';

const asked = (...texts: string[]) => ({ questions: texts.map((question) => ({ question, header: 'H' })) });
const answersTo = (texts: string[], labels: string[][]) =>
  texts.map((question, n) => ({ question, answer: labels[n] ?? [] }));

it('asks as the model asked, with every field', () => {
  const { tool_input } = hookOf('ask_user_question');
  expect(questionsOf(tool_input as never)).toEqual((tool_input as { questions: unknown }).questions);
});

it('numbers equal texts, around the texts that are there already', () => {
  const texts = questionsOf(asked('Which?', 'Which? (1)', 'Why?', 'Which?')).map(({ question }) => question);
  expect(texts).toEqual(['Which? (2)', 'Which? (1)', 'Why?', 'Which? (3)']);
});

it('files each answer under the text that was asked, its labels joined as the harness does', () => {
  const input = asked('Which?', 'Which?', 'Why?');
  const questions = questionsOf(input);
  const answers = answersTo(['Which? (1)', 'Which? (2)', 'Why?'], [['a', 'b'], ['my own words'], []]);
  expect(withAnswers(input, questions, answers)).toEqual({
    questions,
    answers: { 'Which? (1)': 'a, b', 'Which? (2)': 'my own words', 'Why?': '(none)' },
  });
});

it('keeps a question of the name __proto__ a question', () => {
  const input = asked('__proto__');
  const filled = withAnswers(input, questionsOf(input), answersTo(['__proto__'], [['a']]));
  expect(JSON.stringify(filled.answers)).toBe('{"__proto__":"a"}');
});

it('asks nothing where there are no questions', () => {
  expect(questionsOf({ questions: 'none' })).toEqual([]);
});

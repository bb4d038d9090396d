import type { Answer, Question } from '#core/prompt.ts';
import type { ToolInput } from './agent-sdk.ts';

/** The harness's own tool for questions. */
export const BUILT_IN = 'AskUserQuestion';
const NOTHING_CHOSEN = '(none)';

/** Its input's questions. The harness files answers under the question's text, so equal texts are numbered. */
export function questionsOf(input: ToolInput): Question[] {
  const questions = Array.isArray(input.questions) ? (input.questions as Question[]) : [];
  const texts = distinct(questions.map(({ question }) => question));
  return questions.map((question, index) => ({ ...question, question: texts[index] ?? question.question }));
}

/** Its input with the answers that the tool then gives to the model. */
export function withAnswers(input: ToolInput, questions: Question[], answers: Answer[]): ToolInput {
  const entries = questions.map(({ question }, index) => [
    question,
    answers[index]?.answer.join(', ') || NOTHING_CHOSEN,
  ]);
  return { ...input, questions, answers: Object.fromEntries(entries) };
}

function distinct(texts: string[]): string[] {
  const taken = new Set(texts);
  return texts.map((text) => {
    if (texts.indexOf(text) === texts.lastIndexOf(text)) return text;
    let number = 1;
    while (taken.has(`${text} (${number})`)) number++;
    const name = `${text} (${number})`;
    taken.add(name);
    return name;
  });
}

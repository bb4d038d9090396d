import type { ActivePrompt, Answer, UnfinishedPrompt } from '#core/prompt.ts';

/** What a prompt is to a reader, in one word: equal words mean that agent, audit and table say the same (I1). */
export function outcomeOf(prompt: ActivePrompt | UnfinishedPrompt): string {
  if (prompt.state === 'answered') return answered(prompt.answers);
  return prompt.state === 'cancelled' ? cancelled(prompt.reason) : prompt.state;
}

/** Every item of the model has its own text, so the answers tell which item gave them. */
export const answered = (answers: Answer[]): string => `answered:${answers.map(({ answer }) => answer.join()).join()}`;
export const cancelled = (reason: string): string => `cancelled:${reason}`;

export const isSettled = (outcome: string): boolean =>
  outcome.startsWith('answered:') || outcome.startsWith('cancelled:');

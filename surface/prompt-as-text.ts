import { html, nothing, type TemplateResult } from 'lit';
import { displayLine, displayText } from '#core/display.ts';
import { type Item, textOf } from '#core/item.ts';
import type { AskedPrompt } from './read-prompt.ts';
import type { Texts } from './texts.ts';

/** A prompt's questions as an agent wrote them, a command in monospace, each with its answer where there is one. */
export function promptAsText({ kind, questions }: AskedPrompt, answers: string[][], texts: Texts): TemplateResult {
  const part = kind === 'approval' ? 'question command' : 'question';
  return html`${questions.map(
    ({ question }, at) =>
      html`<pre part=${part} class=${part} dir="auto">${displayText(question)}</pre>
        ${answerAsText(answers[at], texts)}`,
  )}`;
}

/** The item's text, where its prompt cannot be shown. The attribute that it came by may hold anything. */
export function itemAsText(item: Item | null | undefined, answers: string[][], texts: Texts): TemplateResult {
  const text = Array.isArray(item?.content) ? textOf(item) : '';
  return html`<pre part="question" dir="auto">${text ? displayText(text) : texts.cannotRead}</pre>
    ${answers.map((answer) => answerAsText(answer, texts))}`;
}

function answerAsText(answer: string[] | undefined, texts: Texts): TemplateResult | typeof nothing {
  if (!answer) return nothing;
  return html`<p part="answer" class="answer">${answer.map(displayLine).join(', ') || texts.nothingChosen}</p>`;
}

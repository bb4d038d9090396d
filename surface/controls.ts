import { html, nothing, type TemplateResult } from 'lit';
import { displayLine, displayText } from '#core/display.ts';
import type { Texts } from './texts.ts';

export function wordsField(label: string, words: string, write: (words: string) => void): TemplateResult {
  const input = ({ target }: Event) => write((target as HTMLTextAreaElement).value);
  return html`<label class="field"
    ><span>${label}</span>
    <textarea part="words" rows="2" dir="auto" .value=${words} @input=${input}></textarea>
  </label>`;
}

/** Not `disabled` while it is not ready: a disabled button drops the focus. */
export function answerButton(label: string, part: string, isReady: boolean, act: () => void): TemplateResult {
  return html`<button type="button" part="button ${part}" class=${part} aria-disabled=${!isReady} @click=${act}>
    ${label}
  </button>`;
}

export function buttonsTemplate(problem: string, buttons: TemplateResult[]): TemplateResult {
  return html`${problem ? html`<p role="alert" part="error" class="error">${problem}</p>` : nothing}
    <p class="buttons">${buttons}</p>`;
}

/** The answer that was not sent, and the one visible button that sends it again. */
export function notSentTemplate(
  texts: Texts,
  problem: string,
  summary: string,
  sendAgain: () => void,
  change: () => void,
): TemplateResult {
  return html`<div role="alert" part="error" class="error">
      <p>${texts.notSent} ${displayLine(problem)}</p>
      <pre part="answer" dir="auto">${displayText(summary)}</pre>
    </div>
    <p class="buttons">
      <button type="button" part="button send" class="send" @click=${sendAgain}>${texts.sendAgain}</button>
      <button type="button" part="button" @click=${change}>${texts.change}</button>
    </p>`;
}

/** A draft whose question is over: shown, not sent. */
export function keptTemplate(texts: Texts, kept: string): TemplateResult {
  return html`<div part="kept" class="kept" role="note">
    <p>${texts.draftKept}</p>
    <pre dir="auto">${displayText(kept)}</pre>
  </div>`;
}

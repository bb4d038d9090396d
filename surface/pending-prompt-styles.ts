import { css } from 'lit';

/** Colours follow the page's `color-scheme`; each can be set by its custom property, and each piece by its part. */
export const STYLES = css`
  :host {
    --background: var(--pending-prompt-background, light-dark(#fff, #1c1e22));
    --text: var(--pending-prompt-text, light-dark(#1b1d21, #e8eaed));
    --muted: var(--pending-prompt-muted, light-dark(#55595f, #aab0b8));
    --border: var(--pending-prompt-border, light-dark(#7d838c, #7d838c));
    --accent: var(--pending-prompt-accent, light-dark(#0b57d0, #a8c7fa));
    --accent-text: var(--pending-prompt-accent-text, light-dark(#fff, #062e6f));
    --danger: var(--pending-prompt-danger, light-dark(#b3261e, #f2b8b5));
    --code-background: var(--pending-prompt-code-background, light-dark(#f1f3f4, #2a2d31));
    --radius: var(--pending-prompt-radius, 0.5rem);
    display: block;
    color: var(--text);
    font: var(--pending-prompt-font, 1rem / 1.5 system-ui, sans-serif);
  }
  :host([hidden]) {
    display: none;
  }
  .card {
    background: var(--background);
    border: 1px solid var(--border);
    border-radius: var(--radius);
    padding: 1rem;
  }
  .card > :last-child {
    margin-bottom: 0;
  }
  h2 {
    font-size: 1rem;
    margin: 0 0 0.5rem;
  }
  pre,
  .question {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    unicode-bidi: plaintext;
    font: inherit;
    margin: 0 0 0.5rem;
  }
  .command {
    font-family: var(--pending-prompt-mono-font, ui-monospace, monospace);
    background: var(--code-background);
    border-radius: var(--radius);
    padding: 0.75rem;
  }
  fieldset {
    border: 1px solid var(--border);
    border-radius: var(--radius);
    margin: 0 0 1rem;
    padding: 0.5rem 0.75rem;
    min-width: 0;
  }
  fieldset.bare {
    border: 0;
    padding: 0;
  }
  legend,
  .field > span {
    font-weight: 600;
    padding: 0 0.25rem;
  }
  .field > span {
    display: block;
    padding: 0;
  }
  .option {
    display: flex;
    gap: 0.6rem;
    align-items: baseline;
    padding: 0.4rem 0;
    cursor: pointer;
    overflow-wrap: anywhere;
  }
  .option [part~='label'],
  small {
    unicode-bidi: isolate;
  }
  small {
    display: block;
  }
  input {
    accent-color: var(--accent);
    flex: none;
    width: 1.1rem;
    height: 1.1rem;
    margin: 0;
    translate: 0 0.15rem;
  }
  textarea {
    display: block;
    box-sizing: border-box;
    width: 100%;
    field-sizing: content;
    min-height: 3.5rem;
    max-height: 20rem;
    font: inherit;
    color: inherit;
    background: var(--background);
    border: 1px solid var(--border);
    border-radius: var(--radius);
    padding: 0.5rem;
    margin: 0.25rem 0 0.5rem;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    margin: 0.5rem 0 0;
  }
  button {
    font: inherit;
    font-weight: 600;
    min-height: 2.75rem;
    padding: 0.4rem 1.25rem;
    color: var(--accent);
    background: var(--background);
    border: 1px solid currentcolor;
    border-radius: var(--radius);
    cursor: pointer;
  }
  .approve,
  .send {
    color: var(--accent-text);
    background: var(--accent);
    border-color: var(--accent);
  }
  .deny {
    color: var(--danger);
  }
  button[aria-disabled='true'] {
    opacity: 0.55;
    cursor: default;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  [role='status'],
  .hint,
  small {
    color: var(--muted);
  }
  .hint,
  p[part~='status'] {
    margin: 0.25rem 0;
  }
  p[role='status']:empty {
    margin: 0;
  }
  .answer {
    font-weight: 600;
    margin: 0 0 0.75rem;
    padding-inline-start: 0.75rem;
    border-inline-start: 3px solid var(--accent);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    unicode-bidi: plaintext;
  }
  .error {
    color: var(--danger);
    margin: 0.25rem 0;
  }
  .error pre {
    color: var(--text);
  }
  .kept {
    margin-top: 1rem;
    padding-top: 0.5rem;
    border-top: 1px dashed var(--border);
  }
  .kept p,
  .kept pre {
    margin: 0;
  }
  .kept p {
    color: var(--muted);
  }
`;

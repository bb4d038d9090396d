import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { displayLine } from '#core/display.ts';
import { type Item, ownField } from '#core/item.ts';
import { answerButton, buttonsTemplate, keptTemplate, notSentTemplate, wordsField } from './controls.ts';
import {
  type AnswerItem,
  type Composed,
  choose,
  composeAnswer,
  composeDecision,
  composeWords,
  draftText,
  emptyDraft,
  type QuestionDraft,
} from './draft.ts';
import { isFrom, type PostedAnswer } from './is-from.ts';
import { outcomeText } from './outcome-text.ts';
import { STYLES } from './pending-prompt-styles.ts';
import { PromptAnswerEvent } from './prompt-answer-event.ts';
import { itemAsText, promptAsText } from './prompt-as-text.ts';
import { questionTemplate } from './question-template.ts';
import { type AskedPrompt, readPrompt, readPromptId } from './read-prompt.ts';
import type { Settlement } from './settlement.ts';
import { TEXTS, type Texts } from './texts.ts';

/** For so long a new question takes no click: it may have come under a finger that meant the one before. */
const ARMED_AFTER_MS = 400;

/**
 * `<pending-prompt>`: a person answers one `pending_prompt` item with buttons, pickers and a form. The page sets `item`
 * (the thread item, as a property or as JSON in the attribute) and, once it is known, `settled`; the element dispatches
 * `prompt-answer` with the thread item to post. Whatever an agent wrote is only ever set as text.
 */
export class PendingPrompt extends LitElement {
  static override styles = STYLES;
  static override properties = {
    item: { type: Object },
    settled: { attribute: false },
    user: { type: String },
    texts: { attribute: false },
    drafts: { state: true },
    words: { state: true },
    phase: { state: true },
    problem: { state: true },
    unanswered: { state: true },
    kept: { state: true },
    armed: { state: true },
  };

  declare item: Item | null | undefined;
  declare settled: Settlement | undefined;
  /** Who would answer; whom the prompt does not allow is told so. */
  declare user: string | undefined;
  declare texts: Texts;

  declare private drafts: readonly QuestionDraft[];
  /** To the agent beside a decision, or the whole answer where there is no form. */
  declare private words: string;
  declare private phase: 'open' | 'sending' | 'sent' | 'failed';
  declare private problem: string;
  /** Places of questions that were found without an answer. */
  declare private unanswered: readonly number[];
  /** A draft whose question is over. */
  declare private kept: string;
  declare private armed: boolean;

  #prompt: AskedPrompt | undefined;
  #key: string | undefined;
  #answer: AnswerItem | undefined;
  #postedId: string | undefined;
  #hadFocus = false;

  constructor() {
    super();
    this.texts = TEXTS;
    this.kept = '';
    this.#begin(undefined);
  }

  /** True where a draft would be lost, or disturbed by moving the focus. */
  get isBeingAnswered(): boolean {
    return !this.settled && (this.phase === 'sending' || this.#draft() !== '');
  }

  /** To the beginning of the question, where a screen reader starts to read. */
  override focus(options?: FocusOptions): void {
    void this.updateComplete.then(() => this.#heading?.focus(options));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.#hadFocus = this.matches(':focus-within');
    if (changed.has('item') && keyOf(this.item) !== this.#key) {
      if (this.phase === 'open' || this.phase === 'failed') this.kept = this.#draft() || this.kept;
      this.#begin(this.item);
    }
    if (!changed.has('settled') || !this.settled) return;
    const isUsers = 'by' in this.settled && this.settled.by?.user_id === this.user;
    // The post that seemed to fail was carried out.
    if (this.phase === 'failed' && isUsers && isFrom(this.#posted(), this.settled)) this.phase = 'sent';
    if (this.phase === 'open' || this.phase === 'failed') this.kept = this.#draft() || this.kept;
  }

  /** What had the focus may be gone; a screen reader must not be left nowhere. */
  protected override updated(): void {
    if (this.#hadFocus && !this.matches(':focus-within')) this.#heading?.focus();
  }

  protected override render() {
    if (this.item === undefined) return nothing;
    const isApproval = this.#prompt?.kind === 'approval';
    const isOpen = !this.settled && this.#mayAnswer();
    return html`<section part="card" class="card" aria-labelledby="heading">
      <h2 id="heading" part="heading" tabindex="-1">${isApproval ? this.texts.asksApproval : this.texts.asks}</h2>
      ${keyed(this.#key, isOpen ? this.#openTemplate() : this.#asText())}
      <p role="status" part=${this.settled ? 'status outcome' : 'status'}>${this.#statusText()}</p>
      ${this.kept ? keptTemplate(this.texts, this.kept) : nothing}
    </section>`;
  }

  #begin(item: Item | null | undefined): void {
    this.#key = keyOf(item);
    this.#prompt = item ? readPrompt(item) : undefined;
    this.drafts = this.#prompt?.questions.map(emptyDraft) ?? [];
    this.words = '';
    this.phase = 'open';
    this.problem = '';
    this.unanswered = [];
    this.#answer = undefined;
    this.#postedId = undefined;
    this.armed = false;
    const key = this.#key;
    setTimeout(() => {
      if (this.#key === key) this.armed = true;
    }, ARMED_AFTER_MS);
  }

  #openTemplate(): TemplateResult {
    return html`<fieldset class="bare" ?disabled=${this.phase !== 'open'}>${this.#form()}</fieldset>
      ${this.phase === 'failed' ? this.#notSent() : this.#buttons()}`;
  }

  #form(): TemplateResult {
    const prompt = this.#prompt;
    if (!prompt) return html`${this.#asText()}${this.#words(this.texts.answer)}`;
    if (prompt.kind === 'approval') return html`${this.#asText()}${this.#words(this.texts.words)}`;
    return html`${prompt.questions.map((question, at) =>
      questionTemplate(question, {
        texts: this.texts,
        at,
        draft: this.drafts[at] ?? emptyDraft(),
        isUnanswered: this.unanswered.includes(at),
        choose: (choice) => this.#change(at, (draft) => choose(question, draft, choice)),
        write: (words) => this.#change(at, (draft) => ({ ...draft, words })),
      }),
    )}`;
  }

  #words(label: string): TemplateResult {
    return wordsField(label, this.words, (words) => {
      this.words = words;
      this.problem = '';
    });
  }

  #buttons(): TemplateResult {
    const prompt = this.#prompt;
    const { approve, deny, send } = this.texts;
    const button = (label: string, part: string, compose: () => Composed) => {
      const isReady = () => this.armed && this.phase === 'open';
      return answerButton(label, part, isReady(), () => isReady() && this.#submit(compose()));
    };
    if (prompt?.kind !== 'approval') {
      const compose = () => (prompt ? composeAnswer(prompt, this.drafts) : this.#composeWords());
      return buttonsTemplate(this.problem, [button(send, 'send', compose)]);
    }
    return buttonsTemplate(this.problem, [
      button(approve, 'approve', () => composeDecision(prompt, 'Approve', this.words)),
      button(deny, 'deny', () => composeDecision(prompt, 'Deny', this.words)),
    ]);
  }

  #notSent(): TemplateResult {
    const change = () => {
      this.phase = 'open';
      this.problem = '';
    };
    const summary = this.#answer?.content[0]?.text ?? '';
    return notSentTemplate(this.texts, this.problem, summary, () => this.#send(), change);
  }

  /** What this element sent, or, having failed, seems to have sent after all. */
  #posted(): PostedAnswer {
    return { id: this.#postedId, answers: this.#answer?.metadata.answers };
  }

  /** The questions as text, each with its answer where there is one. */
  #asText(): TemplateResult {
    const { settled, texts } = this;
    const answers = settled && 'answers' in settled ? settled.answers.map(({ answer }) => answer) : [];
    if (this.#prompt) return promptAsText(this.#prompt, answers, texts);
    return html`${settled ? nothing : html`<p part="status">${texts.cannotShow}</p>`}
      ${itemAsText(this.item, answers, texts)}`;
  }

  /** In one place of the page that stays, so that a screen reader tells each change. */
  #statusText(): string {
    const { texts, settled, phase } = this;
    const isSent = phase === 'sent' || phase === 'sending';
    if (settled) return outcomeText(settled, isSent ? this.#posted() : undefined, texts);
    if (phase === 'sending') return texts.sending;
    if (phase === 'sent') return texts.sent;
    return this.#mayAnswer() ? '' : texts.notAllowed(this.#prompt?.allowed_user_ids?.map(displayLine).join(', ') ?? '');
  }

  #mayAnswer(): boolean {
    const allowed = this.#prompt?.allowed_user_ids;
    return !allowed || this.user === undefined || allowed.includes(this.user);
  }

  #change(at: number, change: (draft: QuestionDraft) => QuestionDraft): void {
    this.drafts = this.drafts.with(at, change(this.drafts[at] ?? emptyDraft()));
    this.unanswered = this.unanswered.filter((place) => place !== at);
    this.problem = '';
  }

  #composeWords(): Composed {
    if (this.words.trim() === '') return { ok: false, unanswered: [0] };
    return { ok: true, item: composeWords(this.words, this.item ? readPromptId(this.item) : undefined) };
  }

  #submit(composed: Composed): void {
    if (composed.ok) {
      this.#answer = composed.item;
      this.#send();
      return;
    }
    this.problem = 'tooLong' in composed ? this.texts.tooLong : this.texts.answerAll;
    this.unanswered = 'unanswered' in composed ? composed.unanswered : [];
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  }

  #send(): void {
    if (!this.#answer || this.phase === 'sending' || this.phase === 'sent') return;
    this.phase = 'sending';
    const event = new PromptAnswerEvent(this.#answer);
    this.dispatchEvent(event);
    void this.#follow(event.posting, this.#key);
  }

  async #follow(posting: Promise<unknown> | undefined, key: string | undefined): Promise<void> {
    let [phase, problem, postedId]: ['sent' | 'failed', string, string | undefined] = ['sent', '', undefined];
    try {
      const id = ownField(await posting, 'id');
      if (typeof id === 'string') postedId = id;
    } catch (error) {
      phase = 'failed';
      if (error instanceof Error) problem = error.message;
    }
    // Another question may be here by now.
    if (this.#key === key) [this.phase, this.problem, this.#postedId] = [phase, problem, postedId];
  }

  #draft(): string {
    return this.#prompt ? draftText(this.#prompt, this.drafts, this.words) : this.words.trim();
  }

  get #heading(): HTMLElement | null {
    return this.renderRoot.querySelector('#heading');
  }
}

/** Polled again, the same question is another object. */
function keyOf(item: Item | null | undefined): string | undefined {
  return item ? (readPromptId(item) ?? String(item.id)) : undefined;
}

customElements.define('pending-prompt', PendingPrompt);
declare global {
  interface HTMLElementTagNameMap {
    'pending-prompt': PendingPrompt;
  }
}

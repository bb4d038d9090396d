import { html, nothing, type TemplateResult } from 'lit';
import { displayLine, displayText } from '#core/display.ts';
import type { Option, Question } from '#core/prompt.ts';
import type { QuestionDraft } from './draft.ts';
import type { Texts } from './texts.ts';

export type QuestionField = {
  texts: Texts;
  /** The question's place in its prompt. */
  at: number;
  draft: QuestionDraft;
  /** It was found without an answer when the form was to be sent. */
  isUnanswered: boolean;
  choose: (choice: number | 'other' | 'none') => void;
  write: (words: string) => void;
};

/** One question: its options as radio buttons or check boxes with "Other", or a field for words. */
export function questionTemplate(question: Question, field: QuestionField): TemplateResult {
  const options = question.options ?? [];
  const text = html`<span class="question" part="question" dir="auto">${displayText(question.question)}</span>`;
  const error = field.isUnanswered
    ? html`<p id="error-${field.at}" part="error" class="error">${field.texts.unanswered}</p>`
    : nothing;
  if (options.length === 0) return html`<label class="field">${text}${textArea(field, '')}</label>${error}`;
  return html`<fieldset part="options" aria-describedby="hint-${field.at}">
    <legend>${text}</legend>
    <p id="hint-${field.at}" class="hint">${question.multiSelect === true ? field.texts.chooseAny : field.texts.chooseOne}</p>
    ${options.map((option, place) => optionTemplate(question, option, place, field))} ${ownChoices(question, field)}
    ${error}
  </fieldset>`;
}

function optionTemplate(question: Question, option: Option, place: number, field: QuestionField): TemplateResult {
  const description = option.description
    ? html`<small part="description" dir="auto">${displayLine(option.description)}</small>`
    : nothing;
  const isFlagged = field.isUnanswered && place === 0;
  return html`<label class="option" part="option"
    >${choiceInput(question, field, place, field.draft.chosen.has(place), isFlagged)}<span
      ><span part="label" dir="auto">${displayLine(option.label)}</span>${description}</span
    ></label
  >`;
}

/** Every list also takes free text (contract), and of several, deliberately none. */
function ownChoices(question: Question, field: QuestionField): TemplateResult {
  const { texts, draft } = field;
  const none =
    question.multiSelect === true
      ? html`<label class="option" part="option"
          >${choiceInput(question, field, 'none', draft.none, false)}<span>${texts.none}</span></label
        >`
      : nothing;
  const other = html`<label class="option" part="option"
    >${choiceInput(question, field, 'other', draft.other, false)}<span>${texts.other}</span></label
  >`;
  return html`${other}${draft.other ? textArea(field, texts.otherText) : nothing}${none}`;
}

function choiceInput(
  question: Question,
  field: QuestionField,
  choice: number | 'other' | 'none',
  isChosen: boolean,
  isFlagged: boolean,
): TemplateResult {
  const change = () => field.choose(choice);
  return question.multiSelect === true
    ? html`<input type="checkbox" .checked=${isChosen} aria-invalid=${isFlagged} @change=${change} />`
    : html`<input type="radio" name="q${field.at}" .checked=${isChosen} aria-invalid=${isFlagged} @change=${change} />`;
}

function textArea({ at, draft, isUnanswered, write }: QuestionField, label: string): TemplateResult {
  return html`<textarea
    part="words"
    rows="2"
    dir="auto"
    aria-label=${label || nothing}
    aria-invalid=${isUnanswered}
    aria-describedby=${isUnanswered ? `error-${at}` : nothing}
    .value=${draft.words}
    @input=${({ target }: Event) => write((target as HTMLTextAreaElement).value)}
  ></textarea>`;
}

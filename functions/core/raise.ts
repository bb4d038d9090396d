import * as z from 'zod';
import { type IssueDetail, issuesOf } from '#core/issues.ts';
import { DEPTH_LIMIT, isKeptNumber, nestsWithin } from '#core/json.ts';
import { type Kind, kindSchema, type Option, type Question } from '#core/prompt.ts';
import { fitsItem } from '#core/texts.ts';
import { utf8Bytes } from '#core/utf8.ts';

/** What a runner asks for (interface.md 2, decisions.md P2); handed on as it came, with the fields nobody here knows. */
export type RaiseRequest = {
  request_id: string;
  kind: Kind;
  questions: Question[];
  runner?: string;
  session?: unknown;
  allowed_user_ids?: string[];
};

type Refused<Code> = { ok: false; error: Code; message: string; details: IssueDetail[] };

/** More than people answer in one go; the two of decisions.md P2. */
const QUESTIONS_LIMIT = 20;
const OPTIONS_LIMIT = 50;
/** All texts of a prompt together: people read it, and it must fit the thread host's 350 KB item with its copy. */
const TEXTS_LIMIT_BYTES = 64 * 1024;
/** The runner's own data travels in the record and in every outcome (interface.md 2). */
const SESSION_LIMIT_BYTES = 8 * 1024;
/** A tool-call id is 30 characters or so. */
const REQUEST_ID_LIMIT = 1024;
/** A reason is shown on the thread as one line. */
const REASON_LIMIT_BYTES = 4 * 1024;

const isNotBlank = (text: string) => text.trim() !== '';
const isShallow = (value: unknown) => nestsWithin(value, DEPTH_LIMIT);
const tooDeep = { error: `This must not nest deeper than ${DEPTH_LIMIT}.`, abort: true };

const optionSchema = z.looseObject({
  label: z.string().refine(isNotBlank, 'A label must not be blank.'),
  description: z.string().nullish(),
});

const questionSchema = z.looseObject({
  question: z.string().refine(isNotBlank, 'A question must not be blank.'),
  multiSelect: z.boolean().nullish(),
  options: z.array(optionSchema).max(OPTIONS_LIMIT).superRefine(refuseRepeatedLabels).nullish(),
});

const raiseSchema = z
  .looseObject({
    request_id: z.string().min(1).max(REQUEST_ID_LIMIT),
    kind: kindSchema,
    questions: z.array(questionSchema).min(1).max(QUESTIONS_LIMIT).refine(isShallow, tooDeep),
    runner: z.string().min(1).optional(),
    session: z
      .unknown()
      .refine(isShallow, tooDeep)
      .refine(isSmallSession, `A session is at most ${SESSION_LIMIT_BYTES} bytes of JSON.`)
      .optional(),
    allowed_user_ids: z.array(z.string().min(1)).min(1).optional(),
  })
  .superRefine(refuseOtherShapes);

/** Judges the body of a raise (decisions.md P2). The raise that is handed on is the body itself. */
export function checkRaise(
  body: unknown,
): { ok: true; raise: RaiseRequest } | Refused<'invalid_prompt' | 'prompt_too_large'> {
  const details = issuesOf(raiseSchema, body);
  if (details.length > 0) {
    return {
      ok: false,
      error: 'invalid_prompt',
      message: 'The prompt is not of the shape that can be asked.',
      details,
    };
  }
  const raise = body as RaiseRequest;
  if (textBytes(raise.questions) > TEXTS_LIMIT_BYTES) {
    const message = `The texts of all questions together are over ${TEXTS_LIMIT_BYTES} bytes.`;
    return { ok: false, error: 'prompt_too_large', message, details: [{ path: 'questions', message }] };
  }
  if (!fitsItem(raise.questions)) {
    const message = 'The prompt as people see it, hidden characters visible, is too large for an item of the thread.';
    return { ok: false, error: 'prompt_too_large', message, details: [{ path: 'questions', message }] };
  }
  return { ok: true, raise };
}

const cancelSchema = z.looseObject({
  reason: z
    .string()
    .refine(isNotBlank, 'A reason must not be blank.')
    .refine((reason) => utf8Bytes(reason) <= REASON_LIMIT_BYTES, `A reason is at most ${REASON_LIMIT_BYTES} bytes.`),
});

/** Judges the body of a cancel (interface.md 2). */
export function checkCancel(body: unknown): { ok: true; cancel: { reason: string } } | Refused<'invalid_request'> {
  const details = issuesOf(cancelSchema, body);
  if (details.length === 0) return { ok: true, cancel: body as { reason: string } };
  return { ok: false, error: 'invalid_request', message: 'A cancel gives its reason.', details };
}

const attachSchema = z.looseObject({ runner: z.string().min(1).optional() });

/** Judges the body of an attach, which may be missing (interface.md 2). */
export function checkAttach(body: unknown): { ok: true; attach: { runner?: string } } | Refused<'invalid_request'> {
  const attach = body ?? {};
  const details = issuesOf(attachSchema, attach);
  if (details.length === 0) return { ok: true, attach };
  return { ok: false, error: 'invalid_request', message: 'An attach may name its runner.', details };
}

/** Case-insensitively, as answers are matched: of two such labels one could not be typed. */
function refuseRepeatedLabels(options: Pick<Option, 'label'>[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [at, { label }] of options.entries()) {
    const folded = label.toLowerCase();
    if (seen.has(folded)) context.addIssue({ code: 'custom', path: [at, 'label'], message: 'This label is repeated.' });
    seen.add(folded);
  }
}

/** What an approval and a text prompt must look like (contract, "Prompt kinds"). */
function refuseOtherShapes(
  raise: { kind: Kind; questions: z.infer<typeof questionSchema>[] },
  context: z.RefinementCtx,
) {
  const { kind, questions } = raise;
  if (kind === 'ask_user_question') return;
  const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  if (questions.length > 1) refuse(['questions'], `A prompt of kind ${kind} has one question.`);
  for (const [at, { options }] of questions.entries()) {
    const labels = options?.map(({ label }) => label) ?? [];
    const path = ['questions', at, 'options'];
    if (kind === 'text' && labels.length > 0) refuse(path, 'A prompt of kind text has no options.');
    if (kind === 'approval' && !(labels.length === 2 && labels[0] === 'Approve' && labels[1] === 'Deny')) {
      refuse(path, 'An approval has exactly the options Approve and Deny, in that order.');
    }
  }
}

function isSmallSession(session: unknown): boolean {
  return utf8Bytes(JSON.stringify(session)) <= SESSION_LIMIT_BYTES;
}

/** Every text and every field's name, however deep: unknown fields are posted too. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return utf8Bytes(value);
  if (typeof value !== 'object' || value === null || isKeptNumber(value)) return 0;
  const names = Array.isArray(value) ? 0 : textBytes(Object.keys(value));
  return Object.values(value).reduce((sum: number, part) => sum + textBytes(part), names);
}

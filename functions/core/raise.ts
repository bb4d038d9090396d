import { z } from 'zod';
import { type IssueDetail, issueDetails } from '#core/issues.ts';
import { type Kind, kindSchema, type Question } from '#core/prompt.ts';
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

type Refused = { ok: false; error: string; message: string; details: IssueDetail[] };

const QUESTIONS_LIMIT = 20;
const OPTIONS_LIMIT = 50;
/** All texts of a prompt together: people read it, and it must fit the thread host's 350 KB item with its copy. */
const TEXTS_LIMIT_BYTES = 64 * 1024;
const SESSION_LIMIT_BYTES = 8 * 1024;
/** A tool-call id is 30 characters or so. */
const REQUEST_ID_LIMIT = 1024;
const REASON_LIMIT_BYTES = 4 * 1024;

const notBlank = (text: string) => text.trim() !== '';

const optionSchema = z.looseObject({
  label: z.string().refine(notBlank, 'a label must not be blank'),
  description: z.string().nullish(),
});

const questionSchema = z.looseObject({
  question: z.string().refine(notBlank, 'a question must not be blank'),
  multiSelect: z.boolean().nullish(),
  options: z
    .array(optionSchema)
    .max(OPTIONS_LIMIT)
    .superRefine((options, context) => {
      const seen = new Set<string>();
      for (const [at, { label }] of options.entries()) {
        const folded = label.toLowerCase();
        if (seen.has(folded)) context.addIssue({ code: 'custom', path: [at, 'label'], message: 'a label is repeated' });
        seen.add(folded);
      }
    })
    .nullish(),
});

const raiseSchema = z
  .looseObject({
    request_id: z.string().min(1).max(REQUEST_ID_LIMIT),
    kind: kindSchema,
    questions: z.array(questionSchema).min(1).max(QUESTIONS_LIMIT),
    runner: z.string().min(1).optional(),
    session: z.unknown().optional().refine(isSmallSession, `a session is at most ${SESSION_LIMIT_BYTES} bytes of JSON`),
    allowed_user_ids: z.array(z.string().min(1)).min(1).optional(),
  })
  .superRefine(({ kind, questions }, context) => {
    if (kind !== 'ask_user_question' && questions.length > 1) {
      context.addIssue({ code: 'custom', path: ['questions'], message: `a prompt of kind ${kind} has one question` });
    }
    const labels = questions[0]?.options?.map(({ label }) => label) ?? [];
    const path = ['questions', 0, 'options'];
    if (kind === 'text' && labels.length > 0) {
      context.addIssue({ code: 'custom', path, message: 'a prompt of kind text has no options' });
    }
    if (kind === 'approval' && !(labels.length === 2 && labels[0] === 'Approve' && labels[1] === 'Deny')) {
      context.addIssue({ code: 'custom', path, message: 'an approval has exactly the options Approve and Deny' });
    }
  });

export function checkRaise(body: unknown): { ok: true; raise: RaiseRequest } | Refused {
  const checked = raiseSchema.safeParse(body);
  if (!checked.success)
    return refused('invalid_prompt', 'The prompt is not of the shape that can be asked.', checked.error);
  const raise = body as RaiseRequest;
  if (textBytes(raise.questions) > TEXTS_LIMIT_BYTES) {
    const message = `The texts of the questions are over ${TEXTS_LIMIT_BYTES} bytes; nothing is cut.`;
    return { ok: false, error: 'prompt_too_large', message, details: [{ path: 'questions', message }] };
  }
  return { ok: true, raise };
}

const cancelSchema = z.looseObject({
  reason: z
    .string()
    .refine(notBlank, 'a reason must not be blank')
    .refine((reason) => utf8Bytes(reason) <= REASON_LIMIT_BYTES, `a reason is at most ${REASON_LIMIT_BYTES} bytes`),
});

export function checkCancel(body: unknown): { ok: true; cancel: { reason: string } } | Refused {
  const checked = cancelSchema.safeParse(body);
  if (!checked.success) return refused('invalid_request', 'A cancel gives its reason.', checked.error);
  return { ok: true, cancel: checked.data };
}

const attachSchema = z.looseObject({ runner: z.string().min(1).optional() });

export function checkAttach(body: unknown): { ok: true; attach: { runner?: string } } | Refused {
  const checked = attachSchema.safeParse(body ?? {});
  if (!checked.success) return refused('invalid_request', 'An attach may name its runner.', checked.error);
  return { ok: true, attach: checked.data as { runner?: string } };
}

function refused(error: string, message: string, cause: z.ZodError): Refused {
  return { ok: false, error, message, details: issueDetails(cause) };
}

function isSmallSession(session: unknown): boolean {
  return session === undefined || utf8Bytes(JSON.stringify(session)) <= SESSION_LIMIT_BYTES;
}

/** Every text and every field's name, however deep: unknown fields are posted too. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return utf8Bytes(value);
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? 0 : textBytes(Object.keys(value));
  return Object.values(value).reduce((sum: number, part) => sum + textBytes(part), names);
}

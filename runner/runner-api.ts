import * as z from 'zod';
import type { Item } from '#core/item.ts';
import { type Answer, type Kind, kindSchema, type Question } from '#core/prompt.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import type { Asking } from './ask.ts';
import { type AwsIdentity, signedPost } from './signed-fetch.ts';

/**
 * The four calls of an agent runner (interface.md 2). All of them may be made again.
 * @throws RunnerApiError where the API answered and did not do it; anything else where it was not reached
 */
export type RunnerApi = {
  raise(thread: Thread, raise: Raise, signal?: AbortSignal): Promise<Raised>;
  /** What won: the cancel, or an answer that came before it. */
  cancel(thread: Thread, prompt_id: string, reason: string, signal?: AbortSignal): Promise<PromptNow>;
  ack(thread: Thread, prompt_id: string): Promise<void>;
  attach(thread: Thread, runner?: string, signal?: AbortSignal): Promise<Attached>;
};

export type Raise = Asking & {
  /** The name of the calling runner: outcomes and next turns of the thread come to its queue from now on. */
  runner?: string;
};
export type PromptNow = {
  prompt_id: string;
  kind: Kind;
  prompt_state: 'pending' | 'answered' | 'cancelled';
  questions: Question[];
  request_id: string;
  session?: unknown;
  item_id?: string;
  answers?: Answer[];
  /** The item that answered. */
  item?: Item;
  reason?: string;
};
export type Raised = { prompt: PromptNow; item_id: string; superseded?: string };
/** Runner messages as they came: `readMessage` says which of them are what they should be. */
export type Attached = { open: PromptNow | null; unacknowledged: RunnerMessage[] };

const promptSchema = z.looseObject({
  prompt_id: z.string(),
  kind: kindSchema,
  prompt_state: z.enum(['pending', 'answered', 'cancelled']),
  request_id: z.string(),
});
const raisedSchema = z.looseObject({ prompt: promptSchema });
const attachedSchema = z.looseObject({ open: promptSchema.nullable(), unacknowledged: z.array(z.unknown()) });

/** A call that the API refused: `code` for programs, the message for people, `status` as on the wire. */
export class RunnerApiError extends Error {
  override name = 'RunnerApiError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A raise answers within 25 s (interface.md 5). */
const CALL_LIMIT_MS = 35_000;

export function runnerApi(baseUrl: string, identity: AwsIdentity): RunnerApi {
  const post = signedPost(identity);
  async function call(thread: Thread, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
    const name = [thread.revision_id, thread.session_id, thread.alias].map(encodeURIComponent).join('/');
    const limit = AbortSignal.timeout(CALL_LIMIT_MS);
    const url = new URL(`v1/threads/${name}/${path}`, `${baseUrl.replace(/\/$/, '')}/`);
    const response = await post(url, body, signal ? AbortSignal.any([signal, limit]) : limit);
    const answer = parsed(await response.text());
    if (!response.ok) throw refused(response.status, answer);
    return answer;
  }
  return {
    raise: async (thread, raise, signal) => checked(raisedSchema, await call(thread, 'prompts', raise, signal)),
    cancel: async (thread, prompt_id, reason, signal) => {
      const answer = await call(thread, `prompts/${encodeURIComponent(prompt_id)}/cancel`, { reason }, signal);
      return checked<Raised>(raisedSchema, answer).prompt;
    },
    ack: async (thread, prompt_id) => {
      await call(thread, `prompts/${encodeURIComponent(prompt_id)}/ack`);
    },
    attach: async (thread, runner, signal) =>
      checked(attachedSchema, await call(thread, 'attach', runner === undefined ? {} : { runner }, signal)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error's sentence, and where it lies in what was sent: `questions[1].options: …`. */
function refused(status: number, answer: unknown): RunnerApiError {
  const { error, message, details } = Object(answer) as { error?: unknown; message?: unknown; details?: unknown };
  const faults = Array.isArray(details) ? details.map(({ path, message }) => `${path}: ${message}`) : [];
  const sentence = typeof message === 'string' ? message : 'The call was refused.';
  return new RunnerApiError(
    status,
    typeof error === 'string' ? error : `http_${status}`,
    [sentence, ...faults].join(' '),
  );
}

/** An answer of another shape is somebody else's, a proxy's perhaps: as good as none. */
function checked<T>(schema: z.ZodType, answer: unknown): T {
  if (schema.safeParse(answer).success) return answer as T;
  throw new RunnerApiError(502, 'malformed_answer', 'The answer is none of the runner API.');
}

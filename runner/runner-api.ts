import type { Answer, Kind, Question } from '#core/prompt.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { type AwsIdentity, signedPost } from './signed-fetch.ts';

/** The four calls of an agent runner (interface.md 2). */
export type RunnerApi = {
  raise(thread: Thread, raise: Raise, signal?: AbortSignal): Promise<Raised>;
  /** What won: the cancel, or an answer that came before it. */
  cancel(thread: Thread, prompt_id: string, reason: string): Promise<PromptNow>;
  ack(thread: Thread, prompt_id: string): Promise<void>;
  attach(thread: Thread, runner?: string): Promise<Attached>;
};

export type Raise = {
  /** The agent's tool-call id: the same one again returns the same prompt. */
  request_id: string;
  kind: Kind;
  questions: Question[];
  runner?: string;
  session?: unknown;
  allowed_user_ids?: string[];
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
  reason?: string;
};
export type Raised = { prompt: PromptNow; item_id: string; superseded?: string };
export type Attached = { open: PromptNow | null; unacknowledged: RunnerMessage[] };

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

export function runnerApi(baseUrl: string, identity: AwsIdentity): RunnerApi {
  const post = signedPost(identity);
  async function call(thread: Thread, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
    const name = [thread.revision_id, thread.session_id, thread.alias].map(encodeURIComponent).join('/');
    const response = await post(new URL(`v1/threads/${name}/${path}`, `${baseUrl.replace(/\/$/, '')}/`), body, signal);
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return answer;
    const { error, message } = (answer ?? {}) as { error?: string; message?: string };
    throw new RunnerApiError(response.status, error ?? 'refused', message ?? `HTTP ${response.status}`);
  }
  return {
    raise: async (thread, raise, signal) => (await call(thread, 'prompts', raise, signal)) as Raised,
    cancel: async (thread, prompt_id, reason) => {
      const answer = await call(thread, `prompts/${encodeURIComponent(prompt_id)}/cancel`, { reason });
      return (answer as { prompt: PromptNow }).prompt;
    },
    ack: async (thread, prompt_id) => {
      await call(thread, `prompts/${encodeURIComponent(prompt_id)}/ack`);
    },
    attach: async (thread, runner) =>
      (await call(thread, 'attach', runner === undefined ? {} : { runner })) as Attached,
  };
}

import * as z from 'zod';
import { itemSchema, threadSchema } from '#core/host-schemas.ts';
import { issuesOf } from '#core/issues.ts';
import { kindSchema } from '#core/prompt.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';

const message_id = z.string().min(1);
const promptSchema = z.looseObject({ prompt_id: z.string().min(1), kind: kindSchema });
const answersSchema = z.array(z.looseObject({ question: z.string(), answer: z.array(z.string()) }));
const addressSchema = z.looseObject({ thread: threadSchema, request_id: z.string().min(1) });
const outcomeSchema = addressSchema.extend({ message_id });

/** What the queue and `attach` carry (interface.md 3). Fields that nobody here knows are no fault. */
const messageSchema = z.discriminatedUnion('type', [
  outcomeSchema.extend({
    type: z.literal('prompt_answered'),
    prompt: promptSchema.extend({ prompt_state: z.literal('answered'), answers: answersSchema }),
    item: itemSchema,
  }),
  outcomeSchema.extend({
    type: z.literal('prompt_cancelled'),
    prompt: promptSchema.extend({ prompt_state: z.literal('cancelled'), reason: z.string() }),
  }),
  z.looseObject({
    message_id,
    type: z.literal('next_turn'),
    thread: threadSchema,
    item: itemSchema,
    stale_for: z.string().optional(),
  }),
]);

export type ReadMessage =
  | { ok: true; message: RunnerMessage }
  /** `why` repeats nothing of the message but paths. `to` where it can still be told whose outcome it was to be. */
  | { ok: false; why: string; to?: { thread: Thread; request_id: string } };

/** Judges a message; what it judged is handed on as it came. */
export function readMessage(value: unknown): ReadMessage {
  const [issue] = issuesOf(messageSchema, value);
  if (!issue) return { ok: true, message: value as RunnerMessage };
  const address = addressSchema.safeParse(value);
  const why = `${issue.path || 'the message'}: ${issue.message}`;
  return address.success ? { ok: false, why, to: address.data } : { ok: false, why };
}

export function readBody(body: string | undefined): ReadMessage {
  try {
    return readMessage(JSON.parse(body ?? ''));
  } catch {
    return { ok: false, why: 'the message is not JSON' };
  }
}

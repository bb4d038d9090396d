import * as z from 'zod';
import type { RpcRequest } from './json-rpc.ts';

export type Turn = { threadId: string; turnId: string };
export const turn = z.object({ threadId: z.string(), turnId: z.string() });
export const inTurn = turn.extend({ itemId: z.string() });

/** The request cannot be shown to a person, or not whole. */
export class UnreadableRequest extends Error {
  override name = 'UnreadableRequest';
}

/** Where to tell the model something, of a request that may not be readable otherwise. */
export function turnOf(params: unknown): Turn | undefined {
  return turn.safeParse(params).data;
}

/** @throws UnreadableRequest */
export function read<T extends z.ZodType>(schema: T, { params }: RpcRequest): z.infer<T> {
  const judged = schema.safeParse(params);
  if (judged.success) return judged.data;
  const [issue] = judged.error.issues;
  throw new UnreadableRequest(`the request is not of a known shape (${issue?.path.join('.') || 'params'})`);
}

/**
 * The same when the same request is sent again, and no other's: while its turn lasts, Codex keeps its number. One item
 * may ask more than once, for a second try without the sandbox for instance: hence the number as well.
 */
export function requestName({ id }: RpcRequest, { threadId, turnId }: Turn, itemId: string, approvalId = ''): string {
  return ['codex', threadId, turnId, itemId, approvalId, id].join('/');
}

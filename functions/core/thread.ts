import * as z from 'zod';

/** Half a surrogate pair is in no address and in no UTF-8, so that no host can know a thread of such a name. */
const hostId = z
  .string()
  .min(1)
  .refine((id) => id.isWellFormed(), 'An id must be well-formed Unicode.');

/** What names a thread: all three, always (decisions.md T1). Ids are the host's opaque strings; no prefix is checked. */
export const threadSchema = z.object({ revision_id: hostId, session_id: hostId, alias: hostId });
export type Thread = z.infer<typeof threadSchema>;

/** The activity log of a session; its items are ignored (decisions.md T6). */
export const ACTIVITY_LOG_ALIAS = 'worker';

/** An injective name of the thread: two different triples never give the same string. */
export function threadName({ revision_id, session_id, alias }: Thread): string {
  return JSON.stringify([revision_id, session_id, alias]);
}

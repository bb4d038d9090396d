import * as z from 'zod';

/** What names a thread: all three, always (decisions.md T1). Ids are the host's opaque strings; no prefix is checked. */
export const threadSchema = z.object({
  revision_id: z.string().min(1),
  session_id: z.string().min(1),
  alias: z.string().min(1),
});
export type Thread = z.infer<typeof threadSchema>;

/** The activity log of a session; its items are ignored (decisions.md T6). */
export const ACTIVITY_LOG_ALIAS = 'worker';

/** An injective name of the thread: two different triples never give the same string. */
export function threadName({ revision_id, session_id, alias }: Thread): string {
  return JSON.stringify([revision_id, session_id, alias]);
}

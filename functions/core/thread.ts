/** What names a thread, as judged by `threadSchema`. */
export type Thread = { revision_id: string; session_id: string; alias: string };

/** The activity log of a session; its items are ignored (decisions.md T6). */
export const ACTIVITY_LOG_ALIAS = 'worker';

/** An injective name of the thread: two different triples never give the same string. */
export function threadName({ revision_id, session_id, alias }: Thread): string {
  return JSON.stringify([revision_id, session_id, alias]);
}

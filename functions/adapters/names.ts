import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import { type Thread, threadName } from '#core/thread.ts';

/** A name of fixed length for text of any length and any characters: keys, message groups and deduplication ids. */
export function digest(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The message group and the partition of a thread: equal only for the same triple (decisions.md T1). */
export function threadGroup(thread: Thread): string {
  return digest(threadName(thread));
}

/**
 * The random half of a prompt id is drawn from its thread and request, so that the same raise always names the same
 * prompt, also when the table was lost in between and the prompt was adopted from the thread (P1, P10). An id is a
 * name here, never a secret: who may act on a prompt is decided by IAM.
 */
export function mintPromptId(thread: Thread, request_id: string, now: number): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([threadName(thread), request_id]))
    .digest();
  let next = 0;
  return `prm_${ulid(now, () => (bytes[next++] ?? 0) / 256)}`;
}

import * as z from 'zod';

/**
 * In characters. What the thread host names and dates is far shorter; without a bound one item with an endless id could
 * be neither recorded nor told, and whatever is written on its thread after it would wait for it for ever (I13).
 */
export const HOST_ID_LIMIT = 1024;

/**
 * An opaque string of the thread host; no prefix is checked. Half a surrogate pair is in no address and in no UTF-8, so
 * that no host can know anything of such a name.
 */
const hostString = z
  .string()
  .max(HOST_ID_LIMIT)
  .refine((text) => text.isWellFormed(), 'An id must be well-formed Unicode.');
export const hostIdSchema = hostString.min(1);

/** What names a thread: all three, always (decisions.md T1). */
export const threadSchema = z.object({ revision_id: hostIdSchema, session_id: hostIdSchema, alias: hostIdSchema });

/**
 * A thread item (decisions.md T2). Loose: blocks and fields nobody here knows are kept. The schema only judges; what it
 * judged is handed on untouched, never zod's copy, so that unknown fields survive byte for byte.
 */
export const itemSchema = z.looseObject({
  id: hostIdSchema,
  created_at: hostString,
  user_id: hostString,
  content: z.array(z.looseObject({})),
  parent_id: hostString.nullish(),
  metadata: z.unknown().optional(),
});

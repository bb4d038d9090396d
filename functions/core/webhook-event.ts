import * as z from 'zod';
import { hostIdSchema, itemSchema, threadSchema } from '#core/host-schemas.ts';
import { type IssueDetail, issuesOf } from '#core/issues.ts';
import { type Item, metadataField } from '#core/item.ts';
import { ACTIVITY_LOG_ALIAS, type Thread } from '#core/thread.ts';

export type WebhookEvent =
  | { kind: 'item'; thread: Thread; item_id: string; item?: Item }
  | { kind: 'ignored'; why: 'event_type' | 'activity_log' | 'typed_item' }
  | { kind: 'malformed'; details: IssueDetail[] };

const ITEM_POSTED = 'session_thread_item_posted';
/** Our own two kinds come back through the webhook and confirm what we posted (decisions.md T4). */
const OWN_TYPES = ['pending_prompt', 'pending_prompt_resolved'];

const typedSchema = z.looseObject({ type: z.string() });
const envelopeSchema = typedSchema.extend({ ...threadSchema.shape, item_id: hostIdSchema });
const eventSchema = envelopeSchema.extend({ item: itemSchema.nullish() }).superRefine(({ item, ...event }, context) => {
  // An item that says it is elsewhere must not act here (T1). What it leaves open, or null, says nothing.
  const said: Record<string, unknown> = { ...event, id: event.item_id };
  for (const field of ['id', 'revision_id', 'session_id', 'alias']) {
    if ((item?.[field] ?? said[field]) !== said[field]) {
      context.addIssue({
        code: 'custom',
        path: ['item', field],
        message: 'This differs from what the event around it says.',
      });
    }
  }
});
type ItemEvent = Thread & { item_id: string; item?: Item | null };

/**
 * A session event of the thread host's webhook (interface.md 1; decisions.md T1, T2, T4, T6). The item is handed on as it
 * came.
 */
export function readEvent(body: unknown): WebhookEvent {
  const typed = typedSchema.safeParse(body);
  if (typed.success && typed.data.type !== ITEM_POSTED) return { kind: 'ignored', why: 'event_type' };
  // Whatever the activity log holds, and in whatever shape, it is not for us.
  if (envelopeSchema.safeParse(body).data?.alias === ACTIVITY_LOG_ALIAS) {
    return { kind: 'ignored', why: 'activity_log' };
  }
  const details = issuesOf(eventSchema, body);
  if (details.length > 0) return { kind: 'malformed', details };

  const { revision_id, session_id, alias, item_id, item } = body as ItemEvent;
  const itemType = item && metadataField(item, 'type');
  if (typeof itemType === 'string' && !OWN_TYPES.includes(itemType)) return { kind: 'ignored', why: 'typed_item' };
  return { kind: 'item', thread: { revision_id, session_id, alias }, item_id, ...(item && { item }) };
}

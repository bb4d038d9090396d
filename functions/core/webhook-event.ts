import { z } from 'zod';
import { type IssueDetail, issueDetails } from '#core/issues.ts';
import { type Item, itemSchema, metadataField } from '#core/item.ts';
import { ACTIVITY_LOG_ALIAS, type Thread, threadSchema } from '#core/thread.ts';

export type WebhookEvent =
  | { kind: 'item'; thread: Thread; item_id: string; item?: Item }
  | { kind: 'ignored'; why: 'event_type' | 'activity_log' | 'typed_item' }
  | { kind: 'malformed'; details: IssueDetail[] };

const ITEM_POSTED = 'session_thread_item_posted';
/** Our own two kinds come back through the webhook and confirm what we posted (decisions.md T4). */
const OWN_TYPES: unknown[] = ['pending_prompt', 'pending_prompt_resolved'];

const typeSchema = z.looseObject({ type: z.string() });
const eventSchema = z
  .looseObject({ ...threadSchema.shape, item_id: z.string().min(1), item: itemSchema.nullish() })
  .superRefine(({ item, ...event }, context) => {
    // An item that says it is elsewhere must not act here (T1).
    const said = { ...event, id: event.item_id } as Record<string, unknown>;
    for (const field of ['id', 'revision_id', 'session_id', 'alias']) {
      if (item?.[field] !== undefined && item[field] !== said[field]) {
        context.addIssue({ code: 'custom', path: ['item', field], message: 'differs from the event around it' });
      }
    }
  });

/** A session event of the thread host's webhook (interface.md 1). */
export function readEvent(body: unknown): WebhookEvent {
  const type = typeSchema.safeParse(body);
  if (!type.success) return { kind: 'malformed', details: issueDetails(type.error) };
  if (type.data.type !== ITEM_POSTED) return { kind: 'ignored', why: 'event_type' };
  const event = eventSchema.safeParse(body);
  if (!event.success) return { kind: 'malformed', details: issueDetails(event.error) };

  const { revision_id, session_id, alias, item_id } = event.data;
  if (alias === ACTIVITY_LOG_ALIAS) return { kind: 'ignored', why: 'activity_log' };
  const { item } = body as { item?: Item | null };
  const itemType = item ? (metadataField(item, 'type') ?? undefined) : undefined;
  if (itemType !== undefined && !OWN_TYPES.includes(itemType)) return { kind: 'ignored', why: 'typed_item' };
  return { kind: 'item', thread: { revision_id, session_id, alias }, item_id, ...(item && { item }) };
}

import { threadSchema } from '#core/host-schemas.ts';
import { parseInstant } from '#core/instant.ts';
import { ownField } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import type { HostItem, ItemStore, NewHostItem, Range } from './item-store.ts';

export type HostAnswer = { status: number; body: unknown };

/** BlobHub's budget of one item. */
const ITEM_LIMIT_BYTES = 350 * 1024;

/**
 * One command of the session API (interface.md 4).
 * @param user_id whose key the call came with
 * @param posted is told of what was posted
 */
export function answerCommand(
  store: ItemStore,
  revision_id: string,
  user_id: string,
  body: unknown,
  posted: (item: HostItem) => void,
): HostAnswer {
  const field = (name: string) => ownField(body, name);
  if (field('engine') !== 'workflow_blobhub') return refusal(400, 'unknown_engine', 'The engine is unknown.');
  const thread = threadSchema.safeParse({ revision_id, session_id: field('session_id'), alias: field('alias') });
  if (!thread.success) return refusal(400, 'invalid_thread_envelope', 'session_id and alias must name a thread.');
  switch (field('command')) {
    case 'post_session_thread_item':
      return post(store, thread.data, user_id, body, posted);
    case 'list_session_thread_items':
      return list(store, thread.data, field);
    case 'get_session_thread_item': {
      const item = store.get(thread.data, field('item_id'));
      return item ? { status: 200, body: { item } } : refusal(404, 'not_found', 'The thread has no such item.');
    }
    default:
      return refusal(400, 'unknown_command', 'The command is unknown.');
  }
}

export function refusal(status: number, error: string, message: string): HostAnswer {
  return { status, body: { error, message } };
}

function post(
  store: ItemStore,
  thread: Thread,
  user_id: string,
  body: unknown,
  posted: (item: HostItem) => void,
): HostAnswer {
  const { content, parent_id, metadata } = body as NewHostItem;
  const isBlocks = Array.isArray(content) && content.length > 0 && content.every((block) => isObject(block));
  if (!isBlocks) return refusal(400, 'content_required', 'content must be a list of blocks.');
  if (parent_id !== undefined && typeof parent_id !== 'string') {
    return refusal(400, 'invalid_parent', 'parent_id must be a text.');
  }
  if (Buffer.byteLength(JSON.stringify([content, metadata])) > ITEM_LIMIT_BYTES) {
    return refusal(413, 'thread_item_too_large', 'The item is over 350 KB.');
  }
  const item = store.post(thread, user_id, { content, parent_id, metadata });
  posted(item);
  return { status: 200, body: { item } };
}

function list(store: ItemStore, thread: Thread, field: (name: string) => unknown): HostAnswer {
  const range: Range = { ascending: field('ascending') === true };
  for (const [name, bound] of [
    ['created_since', 'after'],
    ['created_before', 'before'],
  ] as const) {
    const text = field(name);
    if (text === undefined || text === null) continue;
    const instant = typeof text === 'string' ? parseInstant(text) : undefined;
    if (instant === undefined) return refusal(400, 'invalid_cursor', `${name} must be an ISO 8601 time.`);
    range[bound] = instant;
  }
  return { status: 200, body: { items: store.list(thread, range) } };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

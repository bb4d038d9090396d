import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { parseInstant } from '#core/instant.ts';
import { ownField } from '#core/item.ts';
import { threadSchema } from '#core/thread.ts';
import { splitTarget } from '../routes.ts';
import type { HostItem, ItemStore } from './item-store.ts';
import { type HostAnswer, refusal } from './session-api.ts';

export type PageSettings = {
  store: ItemStore;
  /** Whom the page can post as. Their keys stay here. */
  userIds: string[];
  posted: (item: HostItem) => void;
};

export type PageFile = { headers: Record<string, string>; bytes: Buffer };

/** Nothing but the two files runs on the page, and no other page may frame it. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
const FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '/': { name: 'page.html', type: 'text/html; charset=utf-8' },
  '/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
};

const OWN_HOST = /^(127\.0\.0\.1|localhost):\d+$/;

export function isPageRequest(path: string): boolean {
  return Object.hasOwn(FILES, path) || path.startsWith('/page/');
}

/** The thread page of the built-in host: two files, and what they read and write as JSON. */
export function answerPage(settings: PageSettings, request: IncomingMessage, body: Buffer): HostAnswer | PageFile {
  const { path, query } = splitTarget(request.url ?? '/');
  // Another name that was made to point here (DNS rebinding) is the page of another site.
  if (!OWN_HOST.test(request.headers.host ?? '')) return refusal(403, 'forbidden', 'This page is on 127.0.0.1 alone.');
  const call = `${request.method} ${path}`;
  if (call === 'GET /page/threads') {
    return { status: 200, body: { threads: settings.store.threads(), users: settings.userIds } };
  }
  if (call === 'GET /page/items') return itemsAfter(settings, new URLSearchParams(query));
  if (call === 'POST /page/reply') return reply(settings, request, body);
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (request.method !== 'GET' || !file) return refusal(404, 'not_found', 'There is nothing here.');
  const bytes = readFileSync(new URL(file.name, import.meta.url));
  return { headers: { ...HEADERS, 'content-type': file.type }, bytes };
}

function itemsAfter({ store }: PageSettings, query: URLSearchParams): HostAnswer {
  const thread = threadSchema.safeParse(Object.fromEntries(query));
  if (!thread.success) return refusal(400, 'invalid_thread', 'A thread has a revision_id, a session_id and an alias.');
  const after = parseInstant(query.get('after') ?? '');
  const items = store.list(thread.data, { ascending: true, ...(after !== undefined && { after }) });
  return { status: 200, body: { items } };
}

function reply({ store, userIds, posted }: PageSettings, request: IncomingMessage, body: Buffer): HostAnswer {
  // Another site's page cannot send this type without asking first, and nobody answers that.
  if (request.headers['content-type'] !== 'application/json') return refusal(415, 'not_json', 'A reply is JSON.');
  const value: unknown = JSON.parse(body.toString());
  const thread = threadSchema.safeParse(ownField(value, 'thread'));
  const [user_id, text] = [ownField(value, 'user_id'), ownField(value, 'text')];
  if (!thread.success || typeof text !== 'string' || typeof user_id !== 'string' || !userIds.includes(user_id)) {
    return refusal(400, 'invalid_reply', 'A reply has a thread, a user_id and a text.');
  }
  const item = store.post(thread.data, user_id, { content: [{ type: 'text', text }] });
  posted(item);
  return { status: 200, body: { item } };
}

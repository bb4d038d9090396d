import type { IncomingMessage } from 'node:http';
import { threadSchema } from '#core/host-schemas.ts';
import { parseInstant } from '#core/instant.ts';
import type { SurfaceFile } from '../../../surface/build.ts';
import type { HostUser } from '../identity.ts';
import { splitTarget } from '../routes.ts';
import type { ItemStore } from './item-store.ts';
import { type HostAnswer, refusal } from './session-api.ts';

export type PageSettings = {
  store: ItemStore;
  /** Whom the page can post as: with their keys, it calls the session API as any page of a person would. */
  users: HostUser[];
  /** Whose questions are the agent's. */
  runnerUserId: string;
};

export type PageFile = { headers: Record<string, string>; bytes: Buffer };

/** Nothing but the page's own files runs on it, and no other page may frame it. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
const FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
  '/thread-page.js': { name: 'thread-page.js', type: 'text/javascript; charset=utf-8' },
  '/pending-prompt.js': { name: 'pending-prompt.js', type: 'text/javascript; charset=utf-8' },
};
const SETTINGS = '/surface.json';

const OWN_HOST = /^(127\.0\.0\.1|localhost):\d+$/;

export function isPageRequest(path: string): boolean {
  return Object.hasOwn(FILES, path) || path === SETTINGS || path.startsWith('/page/');
}

/** The thread page of the built-in host, what it reads as JSON, and the same for commands in the terminal. */
export async function answerPage(settings: PageSettings, request: IncomingMessage): Promise<HostAnswer | PageFile> {
  const { path, query } = splitTarget(request.url ?? '/');
  // Another name that was made to point here (DNS rebinding) is the page of another site.
  if (!OWN_HOST.test(request.headers.host ?? '')) return refusal(403, 'forbidden', 'This page is on 127.0.0.1 alone.');
  const { store, users, runnerUserId } = settings;
  const threads = store.threads();
  if (request.method !== 'GET') return refusal(404, 'not_found', 'There is nothing here.');
  if (path === SETTINGS) return { status: 200, body: { runner_user_id: runnerUserId, users, threads } };
  if (path === '/page/threads') return { status: 200, body: { threads, users: users.map(({ user_id }) => user_id) } };
  if (path === '/page/items') return itemsAfter(settings, new URLSearchParams(query));
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  const built = file && (await builtFiles()).find(({ name }) => name === file.name);
  if (!built) return refusal(404, 'not_found', 'There is nothing here.');
  return { headers: { ...HEADERS, 'content-type': file.type }, bytes: built.bytes };
}

let building: Promise<SurfaceFile[]> | undefined;

/** Built when somebody first looks: a stack without a reader starts no later for it. */
function builtFiles(): Promise<SurfaceFile[]> {
  building ??= import('../../../surface/build.ts').then(({ buildSurface }) => buildSurface());
  return building;
}

function itemsAfter({ store }: PageSettings, query: URLSearchParams): HostAnswer {
  const thread = threadSchema.safeParse(Object.fromEntries(query));
  if (!thread.success) return refusal(400, 'invalid_thread', 'A thread has a revision_id, a session_id and an alias.');
  const after = parseInstant(query.get('after') ?? '');
  const items = store.list(thread.data, { ascending: true, ...(after !== undefined && { after }) });
  return { status: 200, body: { items } };
}

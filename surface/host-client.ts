import type { Item } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import { TEXTS } from './texts.ts';

/** A new item, as a person posts it. */
export type NewPost = { content: { type: 'text'; text: string }[]; metadata?: Record<string, unknown> };

/** The thread host as its user (interface.md 4). All of it rejects: HostError where the host answered and refused. */
export type HostClient = {
  /** A page in the thread's order, of items later than `since`. */
  list(thread: Thread, since?: string): Promise<Item[]>;
  post(thread: Thread, item: NewPost): Promise<Item>;
  /** Whose key it is. */
  me(): Promise<string>;
};

/** The host refused; the message is for people. */
export class HostError extends Error {
  override name = 'HostError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TIMEOUT_MS = 10_000;

/** @param url without a slash at its end; empty for the page's own origin */
export function hostClient(url: string, apiKey: string): HostClient {
  async function call<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': apiKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new Error(TEXTS.hostSilent, { cause });
    });
    if (!response.ok) throw new HostError(response.status, await reasonOf(response));
    return response.json() as Promise<T>;
  }
  const command = <T>({ revision_id, session_id, alias }: Thread, name: string, fields: object) =>
    call<T>(`/v1/revisions/${encodeURIComponent(revision_id)}/data`, {
      engine: 'workflow_blobhub',
      command: name,
      session_id,
      alias,
      ...fields,
    });
  return {
    async list(thread, since) {
      const fields = { ascending: true, ...(since !== undefined && { created_since: since }) };
      return (await command<{ items: Item[] }>(thread, 'list_session_thread_items', fields)).items;
    },
    async post(thread, item) {
      return (await command<{ item: Item }>(thread, 'post_session_thread_item', item)).item;
    },
    async me() {
      const me = await call<{ user?: { user_id: string }; user_id?: string }>('/v1/users/me');
      return me.user?.user_id ?? me.user_id ?? '';
    },
  };
}

async function reasonOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { message?: unknown };
  return typeof body.message === 'string' ? body.message : `HTTP ${response.status}`;
}

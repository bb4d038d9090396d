import * as z from 'zod';
import type { Secret } from '#adapters/secrets.ts';
import { PermanentFault, ThreadHostError } from '#core/errors.ts';
import { itemSchema } from '#core/host-schemas.ts';
import { isLater } from '#core/instant.ts';
import { type Item, metadataField, ownField } from '#core/item.ts';
import { parseJson } from '#core/json.ts';
import type { ListRange, NewItem, OwnItemType, PostResult, ThreadHost } from '#core/ports.ts';
import type { Thread } from '#core/thread.ts';

/** A call to the host is given up after this (interface.md 5). */
const TIMEOUT_MS = 5000;
/** The host's pages are 50 items or so; a search that finds nothing in this many pages is given up as unknown. */
const PAGES_LIMIT = 40;
/** The host knows no item of that name, or that the name is none: asked again, it says so again. */
const NO_SUCH_ITEM = new Set([400, 404, 410, 422]);
/** Errors of a connection that was never made: the host has certainly not seen the request. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

const userSchema = z.union([
  z.looseObject({ user: z.looseObject({ user_id: z.string().min(1) }) }).transform(({ user }) => user.user_id),
  z.looseObject({ user_id: z.string().min(1) }).transform(({ user_id }) => user_id),
]);

/** BlobHub's session API (interface.md 4) over fetch. */
export function threadHost(baseUrl: string, apiKey: Secret): ThreadHost {
  let ownUser: Promise<string> | undefined;

  async function call(method: string, path: string, body?: Record<string, unknown>): Promise<string> {
    try {
      const response = await fetch(new URL(path, withSlash(baseUrl)), {
        method,
        headers: { 'X-API-Key': await apiKey.read(), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) throw new ThreadHostError(`${refusalCode(text)} (HTTP ${response.status})`, response.status);
      return text;
    } catch (error) {
      throw asHostError(error);
    }
  }

  function command(thread: Thread, name: string, fields: Record<string, unknown>): Promise<string> {
    const { revision_id, session_id, alias } = thread;
    const path = `v1/revisions/${encodeURIComponent(revision_id)}/data`;
    return call('POST', path, { engine: 'workflow_blobhub', command: name, session_id, alias, ...fields });
  }

  async function post(thread: Thread, { content, metadata }: NewItem): Promise<PostResult> {
    try {
      const item = field(await command(thread, 'post_session_thread_item', { content, metadata }), 'item');
      return isItem(item)
        ? { outcome: 'posted', item }
        : { outcome: 'unknown', why: 'the thread host answered without the item' };
    } catch (error) {
      const hostError = asHostError(error);
      return { outcome: isRefusal(hostError) ? 'refused' : 'unknown', why: hostError.message };
    }
  }

  async function get(thread: Thread, item_id: string): Promise<Item | undefined> {
    const text = await command(thread, 'get_session_thread_item', { item_id }).catch((error) => {
      if (error instanceof ThreadHostError && NO_SUCH_ITEM.has(error.status ?? 0)) return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    const parsed = parseJson(text);
    const item = parsed.ok ? ownField(parsed.value, 'item') : undefined;
    // An item that is malformed or nests deeper than what the webhook lets in stays so, however often it is read.
    if (!isItem(item) || item.id !== item_id) throw new PermanentFault('the thread host holds no well-formed item');
    return item;
  }

  /** Newest first: what is looked for was posted a moment ago more often than not. */
  async function findOwn(thread: Thread, type: OwnItemType, prompt_id: string, since: string) {
    const ownUserId = await whoAmI();
    const isWanted = (item: Item) =>
      item.user_id === ownUserId &&
      metadataField(item, 'type') === type &&
      ownField(metadataField(item, 'prompt'), 'prompt_id') === prompt_id;
    let before: string | undefined;
    for (let page = 0; page < PAGES_LIMIT; page++) {
      const items = await list(thread, {
        created_since: since,
        ...(before !== undefined && { created_before: before }),
      });
      const found = items.find(isWanted);
      if (found) return found;
      const oldest = items.at(-1);
      if (!oldest || (before !== undefined && !isLater(before, oldest.created_at))) return undefined;
      before = oldest.created_at;
    }
    throw new ThreadHostError(`not found in ${PAGES_LIMIT} pages`);
  }

  async function list(thread: Thread, range: ListRange): Promise<Item[]> {
    const items = field(await command(thread, 'list_session_thread_items', { ascending: false, ...range }), 'items');
    if (!Array.isArray(items)) throw new ThreadHostError('the thread host answered without items');
    return items.filter(isItem);
  }

  function whoAmI(): Promise<string> {
    ownUser ??= call('GET', 'v1/users/me').then((text) => {
      const user = userSchema.safeParse(JSON.parse(text));
      if (!user.success) throw new ThreadHostError('the thread host did not say whose key this is');
      return user.data;
    });
    ownUser.catch(() => {
      ownUser = undefined;
    });
    return ownUser;
  }

  return { ownUserId: whoAmI, post, get, list, findOwn };
}

/** Of an answer of any depth: one hostile item on a page must not hide the others. */
function field(text: string, name: string): unknown {
  const parsed = parseJson(text, Number.POSITIVE_INFINITY);
  return parsed.ok ? ownField(parsed.value, name) : undefined;
}

function isItem(value: unknown): value is Item {
  return itemSchema.safeParse(value).success;
}

/** A 4xx is a definite no, and so is a connection that was never made. All else may have been carried out. */
function isRefusal(error: ThreadHostError): boolean {
  const { status } = error;
  if (status === undefined) return NOT_SENT.has(codeOf(error.cause));
  return status >= 400 && status < 500 && status !== 408;
}

function asHostError(error: unknown): ThreadHostError {
  if (error instanceof ThreadHostError) return error;
  const timedOut = error instanceof Error && error.name === 'TimeoutError';
  const why = timedOut ? `no answer within ${TIMEOUT_MS / 1000} s` : `no connection (${codeOf(error) || 'unknown'})`;
  return Object.assign(new ThreadHostError(`the thread host gave ${why}`), { cause: error });
}

/** undici hides the system's error code in `cause`, sometimes twice. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}

/** The host's own error code, never its text: that may hold what was posted (I16). */
function refusalCode(text: string): string {
  const parsed = parseJson(text);
  const code = parsed.ok ? ownField(parsed.value, 'error') : undefined;
  return typeof code === 'string' && /^[a-z0-9_]{1,64}$/.test(code) ? code : 'refused';
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

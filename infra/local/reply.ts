import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Item } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import { ADDRESSES_FILE, type Addresses } from './addresses.ts';
import { postItem } from './host-post.ts';

/** `npm run reply -- "text"`: posts to the thread whose question waits, as a user of the built-in thread host. */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { user: { type: 'string' } } });

async function reply(text: string | undefined, userId: string | undefined): Promise<string> {
  if (!text?.trim())
    return fail('Say what to reply: npm run reply -- "your words" (--user NAME replies as another user).');
  const { surface_url, thread_host } = readAddresses();
  const users = thread_host.users ?? [];
  const user = userId === undefined ? users[0] : users.find(({ user_id }) => user_id === userId);
  if (!user) return fail(`There is no such user here; there are: ${users.map(({ user_id }) => user_id).join(', ')}.`);
  const thread = await waitingThread(surface_url);
  if (!thread) return fail('No question waits for an answer.');
  await postItem(thread_host.url, user.api_key, thread, { content: [{ type: 'text', text }] });
  return `Replied as ${user.user_id} on ${thread.session_id} / ${thread.alias}.`;
}

function readAddresses(): Addresses {
  try {
    return JSON.parse(readFileSync(ADDRESSES_FILE, 'utf8')) as Addresses;
  } catch {
    return fail('The stack does not run here: start it with npm start.');
  }
}

/** The thread with the latest question that has no outcome yet. */
async function waitingThread(surfaceUrl: string): Promise<Thread | undefined> {
  const { threads } = await getJson<{ threads: Thread[] }>(new URL('page/threads', surfaceUrl));
  const waiting = await Promise.all(
    threads.map(async (thread) => ({ thread, since: await waitsSince(surfaceUrl, thread) })),
  );
  waiting.sort((a, b) => (a.since < b.since ? 1 : -1));
  return waiting.find(({ since }) => since !== '')?.thread;
}

async function waitsSince(surfaceUrl: string, thread: Thread): Promise<string> {
  const query = new URLSearchParams(thread);
  const { items } = await getJson<{ items: Item[] }>(new URL(`page/items?${query}`, surfaceUrl));
  const idOf = ({ metadata }: Item) => (metadata as { prompt?: { prompt_id?: string } }).prompt?.prompt_id;
  const typed = (type: string) => items.filter(({ metadata }) => (metadata as { type?: string } | null)?.type === type);
  const resolved = new Set(typed('pending_prompt_resolved').map(idOf));
  return typed('pending_prompt').findLast((item) => !resolved.has(idOf(item)))?.created_at ?? '';
}

async function getJson<T>(url: URL): Promise<T> {
  const response = await fetch(url).catch(() => fail('The stack does not answer: start it with npm start.'));
  return (await response.json()) as T;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

console.log(await reply(positionals[0], values.user));

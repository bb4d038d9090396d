import type { Thread } from '#core/thread.ts';

/** `surface.json` beside the page: where the threads are. The local stack writes it anew for each request. */
export type Settings = {
  /** Missing: the page's own origin. */
  thread_host_url?: string;
  /** Whose questions are the agent's. */
  runner_user_id?: string;
  /** Who can be chosen: the local stand-in's users. Without it the page asks for a key. */
  users?: { user_id: string; api_key: string }[];
  threads: Thread[];
};

/** @param pageUrl of the thread page. @throws where they cannot be read */
export async function readSettings(pageUrl: string): Promise<Settings> {
  const response = await fetch(new URL('surface.json', pageUrl), { cache: 'no-store' });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json() as Promise<Settings>;
}

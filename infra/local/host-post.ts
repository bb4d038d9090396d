import type { Thread } from '#core/thread.ts';

/** What a person's item on the thread holds (interface.md 4). */
export type HostPost = { content: { type: 'text'; text: string }[]; metadata?: Record<string, unknown> };

/** Posts an item as the user of this key. @throws where the thread host refuses it */
export async function postItem(hostUrl: string, apiKey: string, thread: Thread, post: HostPost): Promise<void> {
  const response = await fetch(dataUrl(hostUrl, thread), {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'content-type': 'application/json' },
    body: requestBody(thread, post),
  });
  if (!response.ok)
    throw new Error(`The thread host refused the reply: HTTP ${response.status} ${await response.text()}`);
}

/** The same as a line for a shell. */
export function postCommand(hostUrl: string, apiKey: string, thread: Thread, post: HostPost): string {
  const body = requestBody(thread, post);
  const headers = `-H ${shellQuoted(`X-API-Key: ${apiKey}`)} -H 'content-type: application/json'`;
  return `curl -s -X POST ${headers} -d ${shellQuoted(body)} ${shellQuoted(dataUrl(hostUrl, thread))}`;
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function dataUrl(hostUrl: string, { revision_id }: Thread): string {
  return `${hostUrl}/v1/revisions/${encodeURIComponent(revision_id)}/data`;
}

function requestBody({ session_id, alias }: Thread, post: HostPost): string {
  return JSON.stringify({
    engine: 'workflow_blobhub',
    command: 'post_session_thread_item',
    session_id,
    alias,
    ...post,
  });
}

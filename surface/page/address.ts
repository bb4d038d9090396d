import type { Thread } from '#core/thread.ts';

/** A thread's place in the page's address: `#/revision/session/alias`, each percent-encoded. */
export function addressOf({ revision_id, session_id, alias }: Thread): string {
  return `#/${[revision_id, session_id, alias].map(encodeURIComponent).join('/')}`;
}

/** @returns `undefined` where the address names no thread */
export function threadAt(hash: string): Thread | undefined {
  const match = /^#\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(hash);
  if (!match) return undefined;
  try {
    const [revision_id = '', session_id = '', alias = ''] = match.slice(1).map(decodeURIComponent);
    return { revision_id, session_id, alias };
  } catch {
    return undefined;
  }
}

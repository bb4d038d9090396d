import type { Attached } from './runner-api.ts';

/** What an adapter files with every prompt; it comes back with the outcome and from `attach`. */
export type AskedBy = { harness: 'claude-code' | 'codex'; session_id?: string; call: string };
/** A call by its fingerprint, and the prompt that it waits for. */
export type InterruptedCall = { request_id: string; call: string };

/** What a session was waiting for when its runner was killed: its prompts that are open, or settled and not yet told. */
export function interruptedCalls(
  { open, unacknowledged }: Attached,
  harness: AskedBy['harness'],
  session_id: string,
): InterruptedCall[] {
  const outcomes = unacknowledged.filter((message) => message.type !== 'next_turn');
  return [...(open ? [open] : []), ...outcomes].flatMap(({ request_id, session }) => {
    const asked = Object(session) as Partial<AskedBy>;
    const ours = asked.harness === harness && asked.session_id === session_id;
    return ours && typeof asked.call === 'string' ? [{ request_id, call: asked.call }] : [];
  });
}

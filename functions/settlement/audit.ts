import type { NewItem, Ports } from '#core/ports.ts';
import type { SettledPrompt } from '#core/prompt.ts';
import { auditText } from '#core/texts.ts';
import type { Thread } from '#core/thread.ts';

/** A post takes up to 5 s; one that cannot end within its claim is not begun. */
const POST_MS = 6000;
/** A post that was given up may still be carried out by a slow host: it is only looked for until then. */
const MAY_LAND_MS = 10_000;

export type Audited =
  | { done: true }
  | { done: false; why: string; audit_unknown_at?: number /** not tried again before */; not_before?: number };

/**
 * The audit item of a settled prompt, whose post the caller has claimed. The host has no idempotency key, so a post that
 * anyone may have made before is looked for first (I2).
 * @param first nobody can have tried: the claim is the settlement's own
 */
export async function auditPrompt(
  ports: Ports,
  thread: Thread,
  prompt: SettledPrompt,
  first: boolean,
): Promise<Audited> {
  const { threadHost, clock } = ports;
  if (!first) {
    const seen = await auditOnThread(ports, thread, prompt);
    if (seen === 'unknown') return { done: false, why: 'the thread could not be read' };
    if (seen) return { done: true };
    const not_before = (prompt.audit_unknown_at ?? Number.NEGATIVE_INFINITY) + MAY_LAND_MS;
    if (clock.now() < not_before) return { done: false, why: 'an earlier post may still land', not_before };
  }
  if ((prompt.claimed_until ?? 0) - clock.now() < POST_MS) return { done: false, why: 'no time left' };
  const result = await threadHost.post(thread, auditItem(prompt));
  if (result.outcome === 'posted') return { done: true };
  return { done: false, why: result.why, ...(result.outcome === 'unknown' && { audit_unknown_at: clock.now() }) };
}

async function auditOnThread({ threadHost }: Ports, thread: Thread, { prompt_id, posted_at }: SettledPrompt) {
  try {
    return (await threadHost.findOwn(thread, 'pending_prompt_resolved', prompt_id, posted_at)) !== undefined;
  } catch {
    return 'unknown';
  }
}

function auditItem(prompt: SettledPrompt): NewItem {
  const { prompt_id, kind, state } = prompt;
  const outcome = prompt.state === 'answered' ? { answers: prompt.answers } : { reason: prompt.reason };
  return {
    content: [{ type: 'text', text: auditText(prompt) }],
    metadata: { type: 'pending_prompt_resolved', prompt: { prompt_id, kind, prompt_state: state, ...outcome } },
  };
}

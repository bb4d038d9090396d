import type { Ports } from '#core/ports.ts';
import type { PostingPrompt, WithdrawnPrompt } from '#core/prompt.ts';
import { openPrompt, type Posted, type Slot, withdraw } from '#core/prompting/slot.ts';
import { promptText } from '#core/texts.ts';
import type { Thread } from '#core/thread.ts';
import { changeSlot } from '#settlement/change-slot.ts';

/** How far back a question is looked for: our clock recorded the raise, the host's stamped the item. */
const CLOCK_SKEW_MS = 60 * 60_000;
/** A post takes up to 5 s; one that cannot end within the claim is not begun. */
const POST_MS = 6000;
/** After a post of unknown outcome: how long to pause before each look, seconds apart as a slow host would need. */
const LOOK_PAUSES_MS = [0, 500, 1000, 2000, 3000, 3000, 3000];

export type Asked = { asked: true } | { asked: false; why: string };

/** Protocol steps 2 and 3: the question goes to the thread and opens, or it was never asked (P7). */
export async function askQuestion(ports: Ports, thread: Thread, prompt: PostingPrompt, again: boolean): Promise<Asked> {
  const { prompt_id } = prompt;
  if (again && (await confirmPosting(ports, thread, prompt).catch(() => false))) return { asked: true };
  if (prompt.claimed_until - ports.clock.now() < POST_MS) {
    return giveUp(ports, thread, prompt, again, 'there was no time left to post the question');
  }
  const result = await ports.threadHost.post(thread, questionItem(prompt));
  if (result.outcome === 'posted') {
    await openQuestion(ports, thread, prompt_id, { item_id: result.item.id, posted_at: result.item.created_at });
    return { asked: true };
  }
  if (result.outcome === 'unknown' && (await looksUntilFound(ports, thread, prompt))) return { asked: true };
  return giveUp(ports, thread, prompt, again || result.outcome === 'unknown', result.why);
}

/** Its echo, or an item that waited for it, may have opened the question meanwhile: then it was asked after all (I11). */
async function giveUp(
  ports: Ports,
  thread: Thread,
  prompt: PostingPrompt,
  mayStillLand: boolean,
  why: string,
): Promise<Asked> {
  const withdrawn = await withdrawQuestion(ports, thread, prompt, mayStillLand);
  return withdrawn ? { asked: false, why } : { asked: true };
}

/** Looks for a question whose posting nobody confirmed, and opens it where it is found. @throws ThreadHostError */
export async function confirmPosting(ports: Ports, thread: Thread, prompt: PostingPrompt): Promise<boolean> {
  const posted = await findQuestion(ports, thread, prompt);
  if (posted) await openQuestion(ports, thread, prompt.prompt_id, posted);
  return posted !== undefined;
}

/** Whoever sees the question on the thread first opens it. Its item is remembered before: a reply to it names it (A5). */
export async function openQuestion(ports: Ports, thread: Thread, prompt_id: string, posted: Posted): Promise<void> {
  await ports.store.putReceipt(thread, posted.item_id, { use: 'prompt', prompt_id });
  await changeSlot(ports, thread, (slot) => openPrompt(slot, prompt_id, posted));
}

export async function withdrawQuestion(
  ports: Ports,
  thread: Thread,
  prompt: PostingPrompt,
  mayStillLand: boolean,
): Promise<Slot | undefined> {
  return changeSlot(ports, thread, (slot) => withdraw(slot, prompt, mayStillLand, ports.clock.now()));
}

/** Where a question stands on the thread, if it does. @throws ThreadHostError */
export async function findQuestion(
  { threadHost }: Ports,
  thread: Thread,
  { prompt_id, raised_at }: PostingPrompt | WithdrawnPrompt,
): Promise<Posted | undefined> {
  const since = new Date(raised_at - CLOCK_SKEW_MS).toISOString().replace('Z', '+00:00');
  const item = await threadHost.findOwn(thread, 'pending_prompt', prompt_id, since);
  return item && { item_id: item.id, posted_at: item.created_at };
}

async function looksUntilFound(ports: Ports, thread: Thread, prompt: PostingPrompt): Promise<boolean> {
  for (const pause of LOOK_PAUSES_MS) {
    if (ports.clock.now() + pause > prompt.claimed_until) return false;
    await ports.clock.wait(pause);
    // A look that fails says nothing; the next one may.
    if (await confirmPosting(ports, thread, prompt).catch(() => false)) return true;
  }
  return false;
}

/** Who raised it and who may answer stand on the thread too: an adopted prompt is as guarded as before (P10, A6). */
function questionItem({ prompt_id, kind, questions, request_id, allowed_user_ids }: PostingPrompt) {
  const guard = { request_id, ...(allowed_user_ids && { allowed_user_ids }) };
  return {
    content: [{ type: 'text' as const, text: promptText(questions) }],
    metadata: { type: 'pending_prompt', prompt: { prompt_id, kind, prompt_state: 'pending', questions, ...guard } },
  };
}

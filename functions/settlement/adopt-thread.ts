import { ThreadUnreadableError } from '#core/errors.ts';
import { isLater } from '#core/instant.ts';
import type { Item } from '#core/item.ts';
import type { Ports } from '#core/ports.ts';
import type { OpenPrompt, Outcome } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import { adopt, adoptOutcome, readOwnItem } from '#core/prompting/adopt.ts';
import type { Slot } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { changeSlot } from '#settlement/change-slot.ts';
import { finishOrLeave } from '#settlement/finish-prompt.ts';
import { replayItems } from '#settlement/replay-items.ts';

/** A thread of 10,000 items at the host's 50 a page; only the first attach after a loss reads that far. */
const PAGES_LIMIT = 200;

type Survey = {
  /** Our questions without an outcome on the thread, newest first. */
  unresolved: OpenPrompt[];
  outcomes: Map<string, Outcome>;
  pages: number;
  newest: string | undefined;
};

/**
 * Rebuilds from the thread what the table does not know: a restored table, a new deployment (decisions.md P10). It may
 * run at any time, again, and twice at once; every step is a conditional write.
 * @throws ThreadUnreadableError before anything was begun; other errors leave it half done, to be done again
 */
export async function adoptThread(ports: Ports, thread: Thread): Promise<void> {
  const { slot } = await ports.store.read(thread);
  const survey = await surveyThread(ports, thread, slot).catch((error) => {
    throw new ThreadUnreadableError('the thread cannot be read', { cause: error });
  });
  await adoptActiveOutcome(ports, thread, slot, survey);

  const unknown = await leaveOutKnown(ports, thread, survey.unresolved);
  // A question that is on its way to the thread right now is newer than all that stand there.
  const newest = slot.active?.state === 'posting' ? undefined : unknown.shift();
  // Oldest first and the newest last: a crash in between leaves the rest unknown, and the next attach goes on.
  for (const prompt of unknown.reverse()) await adoptPrompt(ports, thread, prompt, false);
  if (newest) await adoptPrompt(ports, thread, newest, true);
  await replayItems(ports, thread);
  if (newest || survey.pages > 1) await rememberSurvey(ports, thread, survey.newest);
}

async function surveyThread({ threadHost, clock }: Ports, thread: Thread, slot: Slot): Promise<Survey> {
  const ownUserId = await threadHost.ownUserId();
  const survey: Survey = { unresolved: [], outcomes: new Map(), pages: 0, newest: undefined };
  const range = slot.surveyed_to === undefined ? {} : { created_since: slot.surveyed_to };
  for (let before: string | undefined; survey.pages < PAGES_LIMIT; survey.pages++) {
    const items = await threadHost.list(thread, { ...range, ...(before !== undefined && { created_before: before }) });
    const oldest = items.at(-1);
    if (!oldest || (before !== undefined && !isLater(before, oldest.created_at))) break;
    survey.newest ??= items[0]?.created_at;
    for (const item of items) collect(survey, item, ownUserId, clock.now());
    before = oldest.created_at;
  }
  return survey;
}

/** Newest first, so an outcome is met before its question. */
function collect(survey: Survey, item: Item, ownUserId: string, now: number): void {
  const own = readOwnItem(item, ownUserId, now);
  if (own?.tells === 'outcome') survey.outcomes.set(own.prompt_id, own.outcome);
  if (own?.tells === 'question' && !survey.outcomes.has(own.prompt.prompt_id)) survey.unresolved.push(own.prompt);
}

async function leaveOutKnown({ store }: Ports, thread: Thread, prompts: OpenPrompt[]): Promise<OpenPrompt[]> {
  const unknown: OpenPrompt[] = [];
  for (const prompt of prompts) {
    const { slot, past } = await store.read(thread, { requestKey: requestKeyOf(prompt.prompt_id) });
    const isKnown = [slot.active, ...slot.outbox, past].some((known) => known?.prompt_id === prompt.prompt_id);
    if (!isKnown) unknown.push(prompt);
  }
  return unknown;
}

/** The table's open prompt has its audit item on the thread: the table was restored from before that. */
async function adoptActiveOutcome(ports: Ports, thread: Thread, slot: Slot, { outcomes }: Survey): Promise<void> {
  const prompt_id = slot.active?.prompt_id ?? '';
  const outcome = outcomes.get(prompt_id);
  if (!outcome) return;
  const adopted = await changeSlot(
    ports,
    thread,
    (seen) => adoptOutcome(seen, prompt_id, outcome, ports.clock.now()),
    slot,
  );
  if (adopted) await finishOrLeave(ports, thread, prompt_id, { slot: adopted });
}

async function adoptPrompt(ports: Ports, thread: Thread, prompt: OpenPrompt, isNewest: boolean): Promise<void> {
  const { prompt_id, item_id } = prompt;
  await ports.store.putReceipt(thread, item_id, { use: 'prompt', prompt_id });
  const slot = await changeSlot(
    ports,
    thread,
    (seen, past) => adopt(seen, past, prompt, isNewest, ports.clock.now()),
    undefined,
    requestKeyOf(prompt_id),
  );
  ports.telemetry.info('prompt_adopted', { prompt_id, won: slot !== undefined }, { PromptAdopted: 1 });
  const superseded = slot?.outbox.at(-1);
  if (slot && superseded?.state === 'cancelled') await finishOrLeave(ports, thread, superseded.prompt_id, { slot });
}

async function rememberSurvey(ports: Ports, thread: Thread, newest: string | undefined): Promise<void> {
  if (newest === undefined) return;
  await changeSlot(ports, thread, (slot) => {
    const isKnown = slot.surveyed_to !== undefined && !isLater(newest, slot.surveyed_to);
    return isKnown ? undefined : { ...slot, surveyed_to: newest };
  });
}

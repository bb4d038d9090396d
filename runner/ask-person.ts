import { isDeepStrictEqual } from 'node:util';
import { SUPERSEDED } from '#core/prompting/slot.ts';
import type { PromptAnswered } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { aborted } from './aborted.ts';
import type { Asking, Outcome } from './ask.ts';
import { callAgain, type Pause } from './call-again.ts';
import { readMessage } from './read-message.ts';
import { type PromptNow, type RunnerApi, RunnerApiError } from './runner-api.ts';
import type { Told, Waiting } from './waiting.ts';

export type AskPorts = {
  api: RunnerApi;
  waiting: Waiting;
  pause: Pause;
  /** In whose name to raise and attach. */
  runner?: string;
};
export type Ended = {
  outcome: Outcome;
  /** Where there is a prompt of which this is the outcome. */
  prompt_id?: string;
  /** Another run superseded it while it was open here; not where that is old news, told to one who asks again. */
  superseded?: true;
};

export const RUN_ENDED = 'the run ended';
/**
 * How long to trust the queue before the API is asked if the prompt is still open. Only what was misled needs it: a
 * message that another process took from the same queue, or that went to the dead-letter queue.
 */
const LOOK_AGAIN_MS = 10 * 60_000;

/**
 * Raises a prompt and waits for its outcome, however long: whichever comes first of the outcome from the queue, the end
 * of the run, which cancels the prompt, and the parking, which leaves it open. Never rejects.
 */
export async function askPerson(
  ports: AskPorts,
  thread: Thread,
  asking: Asking,
  ended: AbortSignal,
  park: AbortSignal,
): Promise<Ended> {
  const over = new AbortController();
  let wasOpen = false;
  const opened = () => {
    wasOpen = true;
  };
  try {
    // It listens before it raises: the answer may be faster than the raise's own reply.
    const told = ports.waiting.listen({ thread, request_id: asking.request_id }, over.signal);
    const end = await Promise.race([
      aborted(park, over.signal).then((): Ended => ({ outcome: { state: 'parked' } })),
      told.then((message) => heard(asking, message)),
      converse(ports, thread, asking, { ended, over: AbortSignal.any([park, over.signal]), opened }),
    ]);
    const { outcome } = end;
    const isSuperseded = wasOpen && outcome.state === 'cancelled' && outcome.reason === SUPERSEDED;
    return isSuperseded ? { ...end, superseded: true } : end;
  } catch (error) {
    return { outcome: park.aborted ? { state: 'parked' } : unavailable(error) };
  } finally {
    over.abort();
  }
}

/** The API's side: the prompt from its raise on, until the API says how it ended. */
async function converse(
  ports: AskPorts,
  thread: Thread,
  asking: Asking,
  { ended, over, opened }: { ended: AbortSignal; over: AbortSignal; opened: () => void },
): Promise<Ended> {
  const { api, pause, runner } = ports;
  const body = { ...asking, ...(runner !== undefined && { runner }) };
  const raise = () => callAgain(() => api.raise(thread, body, over), pause, over);
  let { prompt } = await raise();
  if (prompt.prompt_state === 'pending') opened();
  while (prompt.prompt_state === 'pending' && !ended.aborted) {
    const enough = AbortSignal.any([ended, over]);
    await pause(LOOK_AGAIN_MS, enough).catch(() => undefined);
    over.throwIfAborted();
    // Raised again, it says how the prompt stands now (decisions.md P1).
    if (!ended.aborted) prompt = (await raise().catch(() => undefined))?.prompt ?? prompt;
  }
  over.throwIfAborted();
  if (prompt.prompt_state === 'pending') {
    const { prompt_id } = prompt;
    prompt = await callAgain(() => api.cancel(thread, prompt_id, RUN_ENDED, over), pause, over);
  }
  return settled(ports, thread, asking, prompt, over);
}

/** The API tells an answer with the item that gave it; where it has not kept that, the unacknowledged outcomes have. */
async function settled(
  { api, pause, runner }: AskPorts,
  thread: Thread,
  asking: Asking,
  { prompt_id, kind, prompt_state, reason, answers, item }: PromptNow,
  over: AbortSignal,
): Promise<Ended> {
  if (prompt_state === 'cancelled') return { outcome: { state: 'cancelled', reason: String(reason) }, prompt_id };
  if (item) {
    const prompt = { prompt_id, kind, prompt_state, answers };
    const { request_id } = asking;
    const message_id = `${prompt_id}.answered`;
    return told(asking, { message_id, type: 'prompt_answered', thread, request_id, prompt, item });
  }
  const { unacknowledged } = await callAgain(() => api.attach(thread, runner, over), pause, over);
  const mine = unacknowledged.find((message) => Object(message).request_id === asking.request_id);
  if (mine === undefined) return { outcome: unreadable('it was answered, and the answering item cannot be read now') };
  return told(asking, mine);
}

function told(asking: Asking, message: unknown): Ended {
  const read = readMessage(message);
  return heard(asking, read.ok && read.message.type !== 'next_turn' ? read.message : { type: 'malformed' });
}

/** Fails closed: an outcome that does not fit the question is none. */
function heard(asking: Asking, told: Told): Ended {
  switch (told.type) {
    case 'prompt_cancelled':
      return { outcome: { state: 'cancelled', reason: told.prompt.reason }, prompt_id: told.prompt.prompt_id };
    case 'prompt_answered': {
      const { prompt, item } = told;
      if (!answersAll(asking, told)) return { outcome: unreadable('the answer does not fit the question') };
      return { outcome: { state: 'answered', answers: prompt.answers, item }, prompt_id: prompt.prompt_id };
    }
    default:
      return { outcome: unreadable('the answer could not be read') };
  }
}

function answersAll({ questions, kind }: Asking, { prompt }: PromptAnswered): boolean {
  const asked = questions.map(({ question }) => question);
  const answered = prompt.answers.map(({ question }) => question);
  return prompt.kind === kind && isDeepStrictEqual(asked, answered);
}

/** Somebody may have answered, but nothing that the agent may act on came of it. */
function unreadable(why: string): Outcome {
  return { state: 'unavailable', message: `Approval unavailable: ${why}. No decision was made.` };
}

function notTold(why: string): Outcome {
  return { state: 'unavailable', message: `Approval unavailable: ${why}.` };
}

function unavailable(error: unknown): Outcome {
  if (!(error instanceof RunnerApiError)) return notTold(`the runner API could not be reached (${nameOf(error)})`);
  const { code, message, status } = error;
  if (code === 'prompt_unavailable') return { state: 'unavailable', message };
  return notTold(`the runner API answered ${status} ${code}: ${message.replace(/\.$/, '')}`);
}

/** `fetch failed` says nothing; its cause has the code of the system. */
function nameOf(error: unknown): string {
  const { name, message, cause } = Object(error) as { name?: string; message?: string; cause?: { code?: string } };
  return cause?.code ?? `${name}: ${message}`;
}

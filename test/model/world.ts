import { isLater } from '#core/instant.ts';
import type { Item } from '#core/item.ts';
import type { PastPrompt } from '#core/ports.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import type { Posted, Slot } from '#core/prompting/slot.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Defences } from './defences.ts';
import { answered, cancelled } from './outcome.ts';
import { type Call, THROWN } from './process.ts';
import { landed, ownItem, promptOf, typeOf } from './scenario.ts';
import { MAY_LAND_MS } from './shell/finish-prompt.ts';
import { after, changed, including, type Landing, may, type State } from './state.ts';

/** What a call gives: where an item of ours stands, or that it does not, or that the thread could not be read. */
export type Look = Posted | undefined | 'unreadable';
export type PostEnd = Posted | 'refused' | 'unknown';
export type Waited = 'again' | 'gave up';

/** One way a call can go: the world after it, and what the caller gets, or what is left to do of the call. */
export type Performed = { state: State; got?: unknown; rest?: Call; how?: string };

/** All ways a call can go in this state. */
export function performed(state: State, call: Call, on: Defences): Performed[] {
  switch (call.do) {
    case 'read':
      return read(state, call, on);
    case 'readSlot':
      return [{ state, got: { ...call.rest, slot: state.slot } }];
    case 'save':
      return save(state, call.slot, on);
    case 'keep':
      return [{ state: keep(state, call.prompt, on), got: undefined }];
    case 'receipt':
      return [
        { state: { ...state, receipts: new Map(state.receipts).set(call.item_id, call.receipt) }, got: undefined },
      ];
    case 'send':
      return send(state, call.message);
    case 'look':
      return look(state, call.type, call.prompt_id);
    case 'post':
      return post(state, ownItem(call.prompt));
    case 'list':
      return [{ state, got: state.thread.filter((item) => !call.since || isLater(item.created_at, call.since)) }];
    case 'enqueue':
      return [{ state: { ...state, queue: [...state.queue, call.item_id] }, got: undefined }];
    case 'wait': {
      const again = { state, got: 'again' satisfies Waited };
      return call.patient ? [again] : [again, { state, got: 'gave up' satisfies Waited, how: 'gives up' }];
    }
    case 'delete': {
      const deleted = { ...state, queue: state.queue.filter((id) => id !== call.item_id) };
      const ignored = including(state.runner.ignored, call.item_id);
      return [{ state: call.ignored ? changed(deleted, { ignored }) : deleted, got: undefined }];
    }
    case 'acknowledgePast': {
      const key = requestKeyOf(call.prompt_id);
      const prompt = state.past.get(key);
      if (!prompt) return [{ state, got: THROWN }];
      return [{ state: { ...state, past: new Map(state.past).set(key, { ...prompt, acked_at: 1 }) }, got: undefined }];
    }
    case 'unacknowledged': {
      const prompts = [...state.past.values()].filter((p) => p.state !== 'withdrawn' && p.acked_at === undefined);
      return [{ state, got: prompts }];
    }
  }
}

/**
 * adapters/prompt-store.ts, read. The history after the slot: it only grows, so that reading it later, or at once as
 * here, tells more and never less. Receipts come together with the slot: a BatchGetItem is no snapshot.
 */
function read(state: State, call: Call & { do: 'read' }, on: Defences): Performed[] {
  const { slot, receipts, past } = state;
  const prompt = past.get(call.request ?? '');
  const rest = { receipts, ...(prompt && { past: prompt }) };
  const together: Performed = { state, got: { ...rest, slot } };
  const mayTear = call.items !== undefined || (call.request !== undefined && !on.slotReadFirst);
  if (!mayTear || !may(state, 'torn')) return [together];
  return [together, { state: after(state, 'torn'), rest: { do: 'readSlot', rest }, how: 'all but the slot' }];
}

/** adapters/prompt-store.ts, save: its reply may be lost, and the SDK's own retry then reports a lost condition. */
function save(state: State, slot: Slot, on: Defences): Performed[] {
  if (on.conditionalWrite && slot.rev !== state.slot.rev) return [{ state, got: false, how: 'loses' }];
  const written = { ...slot, rev: state.slot.rev + 1 };
  const applied = { ...state, slot: written };
  const ways: Performed[] = [{ state: applied, got: written }];
  if (may(state, 'lostReply'))
    ways.push({ state: after(applied, 'lostReply'), got: false, how: 'is applied, seems lost' });
  return ways;
}

/** adapters/prompt-store.ts, keep. */
function keep(state: State, prompt: PastPrompt, on: Defences): State {
  const key = requestKeyOf(prompt.prompt_id);
  const past = new Map(state.past).set(key, on.historyForward ? forward(state.past.get(key), prompt) : prompt);
  if (prompt.state !== 'answered') return { ...state, past };
  const { prompt_id, answered_by } = prompt;
  return { ...state, past, receipts: new Map(state.receipts).set(answered_by.item_id, { use: 'answer', prompt_id }) };
}

function forward(known: PastPrompt | undefined, prompt: PastPrompt): PastPrompt {
  if (known === undefined || known.state === 'withdrawn') return prompt;
  if (prompt.state === 'withdrawn') return known;
  return known.acked_at === undefined ? prompt : { ...prompt, acked_at: known.acked_at };
}

function send(state: State, message: RunnerMessage): Performed[] {
  const ways: Performed[] = [{ state: sent(state, message), got: undefined }];
  if (may(state, 'unsent')) ways.push({ state: after(state, 'unsent'), got: THROWN, how: 'fails' });
  return ways;
}

/** The runner drops repeats by `message_id`, so that what differs from the first is never seen; a test would see it. */
function sent(state: State, message: RunnerMessage): State {
  const { told, turns, knows } = state.runner;
  if (message.type === 'next_turn') return changed(state, { turns: including(turns, message.item.id) });
  const { prompt } = message;
  const outcome = prompt.prompt_state === 'answered' ? answered(prompt.answers) : cancelled(prompt.reason);
  return changed(state, {
    told: including(told, `${prompt.prompt_id}=${outcome}`),
    knows: including(knows, prompt.prompt_id),
  });
}

/** adapters/thread-host.ts, findOwn: newest first. */
function look(state: State, type: string, prompt_id: string): Performed[] {
  const found = state.thread.findLast((item) => typeOf(item) === type && promptOf(item) === prompt_id);
  const ways: Performed[] = [{ state, got: found && posted(found), how: found ? 'finds it' : 'finds nothing' }];
  if (may(state, 'unreadable')) {
    ways.push({ state: after(state, 'unreadable'), got: 'unreadable' satisfies Look, how: 'fails' });
  }
  return ways;
}

function post(state: State, item: ReturnType<typeof ownItem>): Performed[] {
  const now = onThread(state, item);
  const ways: Performed[] = [{ state: now, got: posted(now.thread.at(-1) as Item) }];
  if (may(state, 'refusedPost')) {
    ways.push({ state: after(state, 'refusedPost'), got: 'refused' satisfies PostEnd, how: 'is refused' });
  }
  const got = 'unknown' satisfies PostEnd;
  if (may(state, 'lostPost')) {
    ways.push({ state: after(now, 'lostPost'), got, how: 'is carried out, no reply' });
    ways.push({ state: after(state, 'lostPost'), got, how: 'is not carried out, no reply' });
  }
  if (may(state, 'latePost')) {
    const later = inFlight(state, item, state.now + MAY_LAND_MS);
    ways.push({ state: after(later, 'latePost'), got, how: 'has no reply yet' });
  }
  return ways;
}

export function onThread(state: State, item: Omit<Item, 'id' | 'created_at'>): State {
  const thread = [...state.thread, landed(item, state.thread.length)];
  return { ...state, thread, delivered: [...state.delivered, 0] };
}

/** A question may land at any time; an audit item within a time that the code counts on. */
export function inFlight(state: State, item: ReturnType<typeof ownItem>, until: number): State {
  const isQuestion = typeOf(item as Item) === 'pending_prompt';
  const landing: Landing = isQuestion ? { item: item as Item } : { item: item as Item, until };
  return { ...state, landing: [...state.landing, landing] };
}

const posted = ({ id, created_at }: Item): Posted => ({ item_id: id, posted_at: created_at });

import type { Item } from '#core/item.ts';
import type { StoredThread } from '#core/ports.ts';
import type { ActivePrompt, UnfinishedPrompt } from '#core/prompt.ts';
import { POSTING_GRACE_MS, type Slot } from '#core/prompting/slot.ts';
import { outcomeOf } from './outcome.ts';
import type { Call, Process } from './process.ts';
import { promptOf, typeOf } from './scenario.ts';
import type { State } from './state.ts';

/**
 * The canonical name of a state: two states with one key have the same future. Times count from now, since the code
 * only compares them; a slot's revision counts as current or not; workers are alike. States share their parts, which
 * never change: the name of each is worked out once, and is a short number.
 */
export function keyOf(state: State): string {
  const { now, slot, receipts, past, thread, landing, delivered, queue, runner, left } = state;
  const processes = state.processes.map((process) => processKey(process, now, slot.rev));
  if (processes.length > 1) processes.sort();
  const table = `${slotKey(slot, now)} ${partKey(receipts, receiptsKey)} ${partKey(past, pastKey)}`;
  const host = `${partKey(thread, threadKey)} ${landing.length > 0 ? landingKey(landing, now) : ''}`;
  const inbound = `${partKey(delivered, String)} ${partKey(queue, String)}`;
  const agent = partKey(runner, runnerKey);
  return [table, host, inbound, processes.join(), agent, partKey(left, JSON.stringify)].join('|');
}

const numbers = new Map<string, string>();
const numberOf = (text: string): string => {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  const number = numbers.size.toString(36);
  numbers.set(text, number);
  return number;
};

const parts = new WeakMap<object, string>();
function partKey<T extends object>(part: T, name: (part: T) => string): string {
  const known = parts.get(part);
  if (known !== undefined) return known;
  const key = numberOf(name(part));
  parts.set(part, key);
  return key;
}

/** What depends on the time is remembered for the last one asked for. */
const timed = new WeakMap<object, { now: number; key: string }>();
function slotKey(slot: Slot, now: number): string {
  const known = timed.get(slot);
  if (known?.now === now) return known.key;
  const key = numberOf(slotName(slot, now));
  timed.set(slot, { now, key });
  return key;
}

/** The newest slot that a process holds, and its name where that slot is the current one and where it is not. */
type Named = { now: number; held: number; current?: string; stale?: string };
const named = new WeakMap<Process, Named>();
function processKey(process: Process, now: number, rev: number): string {
  let known = named.get(process);
  const remembered = known?.now === now ? known[known.held === rev ? 'current' : 'stale'] : undefined;
  if (remembered !== undefined) return remembered;
  const relative = { now, rev, held: -1 };
  const key = numberOf(processName(process, relative));
  if (known?.now !== now) {
    known = { now, held: relative.held };
    named.set(process, known);
  }
  known[known.held === rev ? 'current' : 'stale'] = key;
  return key;
}

/** Nothing looks further back than the longest grace. */
const elapsed = (time: number, now: number): number => Math.min(now - time, POSTING_GRACE_MS);
const ahead = (time: number, now: number): string => (time <= now ? '.' : String(time - now));

const sorted = (list: readonly string[]): string => (list.length < 2 ? list.join() : [...list].sort().join());
const receiptsKey = (receipts: State['receipts']): string =>
  sorted([...receipts].map(([item_id, { use }]) => `${item_id}${use}`));
const pastKey = (past: State['past']): string => sorted([...past.values()].map(pastPromptKey));
const pastPromptKey = (prompt: UnfinishedPrompt): string =>
  `${short(prompt.prompt_id)}${outcomeOf(prompt)}${prompt.acked_at === undefined ? '' : '+'}`;
const landingKey = (landing: State['landing'], now: number): string =>
  landing.map(({ item, until }) => `${itemKey(item)}${until === undefined ? '' : ahead(until, now)}`).join();
const runnerKey = ({ told, returned, turns, knows, raises, ...rest }: State['runner']): string =>
  `${[told, returned, turns, knows].map(sorted).join('|')}${JSON.stringify(raises)}${JSON.stringify(rest)}`;
const threadKey = (thread: State['thread']): string => thread.map(itemKey).join();

const short = (prompt_id: string): string => `${prompt_id[13]}${prompt_id.slice(-2)}`;

function slotName({ active, outbox }: Slot, now: number): string {
  return `${active ? promptKey(active, now) : ''};${outbox.map((prompt) => promptKey(prompt, now)).join()}`;
}

function promptKey(prompt: ActivePrompt | UnfinishedPrompt, now: number): string {
  const id = short(prompt.prompt_id);
  if (prompt.state === 'posting') return `${id}P${Math.max(prompt.claimed_until - now, -POSTING_GRACE_MS)}`;
  if (prompt.state === 'open') return `${id}O${prompt.item_id}${prompt.replay ? 'r' : ''}`;
  const { settled_at, notified_at, claimed_until, audit_unknown_at, next_attempt_at, acked_at } = prompt;
  const flags = `${notified_at === undefined ? '' : 'n'}${acked_at === undefined ? '' : '+'}`;
  const claim = claimed_until === undefined ? '-' : ahead(claimed_until, now);
  const next = next_attempt_at === undefined ? '-' : ahead(next_attempt_at, now);
  const unknown = audit_unknown_at === undefined ? '-' : elapsed(audit_unknown_at, now);
  const age = prompt.state === 'withdrawn' ? elapsed(settled_at, now) : '';
  return `${id}${outcomeOf(prompt)}${flags}/${claim}/${next}/${unknown}/${age}`;
}

function itemKey(item: Item): string {
  const type = typeOf(item);
  if (type === undefined) return `u${item.content[0]?.text}`;
  return `${type === 'pending_prompt' ? 'q' : 'a'}${short(promptOf(item) ?? '')}`;
}

/** Of what a call gave: equal ones make a process go on alike. Lists have none. */
export function resultKey(got: unknown, now: number): string | undefined {
  if (typeof got !== 'object' || got === null) return `${now} ${String(got)}`;
  if ('item_id' in got) return `${now} ${String(got.item_id)}`;
  if ('outbox' in got) return `${now} ${(got as Slot).rev} ${slotKey(got as Slot, now)}`;
  if (!('slot' in got)) return undefined;
  const { slot, receipts, past } = got as StoredThread;
  const rest = `${partKey(receipts, receiptsKey)} ${past ? pastPromptKey(past) : ''}`;
  return `${now} ${slot.rev} ${slotKey(slot, now)} ${rest}`;
}

type Relative = { now: number; rev: number; held: number };

function processName({ name, message, call, frame }: Process, relative: Relative): string {
  return `${name[0] === 'W' ? 'W' : name}(${message ?? ''})${callName(call, relative)}${valueName(frame, relative)}`;
}

/** What the frame does not say already. */
function callName(call: Call, relative: Relative): string {
  switch (call.do) {
    case 'save':
      return valueName(call.slot, relative);
    case 'readSlot':
      return valueName(call.rest, relative);
    case 'send':
      return call.message.message_id;
    case 'delete':
      return call.ignored ? 'ignored' : call.item_id;
    case 'keep':
    case 'post':
      return promptKey(call.prompt, relative.now);
    case 'wait':
      return call.patient ? 'patient' : '';
    default:
      return '';
  }
}

/** Names of what depends on neither the time nor the revision: callers' frames, items, messages. */
const fixed = new WeakMap<object, string>();
/** Whether the last name depended on them. */
let depends = false;

/** Of any value that a call or a frame holds. A number is a time. */
function valueName(value: unknown, relative: Relative): string {
  if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'number') return String(value);
    depends = true;
    return String(Math.max(value - relative.now, -POSTING_GRACE_MS));
  }
  const known = fixed.get(value);
  if (known !== undefined) return known;
  const outer = depends;
  depends = false;
  const name = objectName(value, relative);
  if (!depends) fixed.set(value, name);
  depends ||= outer;
  return name;
}

function objectName(value: object, relative: Relative): string {
  if (value instanceof Map) return partKey(value as State['receipts'], receiptsKey);
  if ('outbox' in value) {
    depends = true;
    relative.held = Math.max(relative.held, (value as Slot).rev);
    return `${(value as Slot).rev === relative.rev ? '=' : '<'}${slotKey(value as Slot, relative.now)}`;
  }
  if ('raised_at' in value) {
    depends = true;
    return promptKey(value as ActivePrompt, relative.now);
  }
  if ('created_at' in value) return (value as Item).id;
  if ('message_id' in value) return String(value.message_id);
  if ('kind' in value) return short((value as ActivePrompt).prompt_id);
  let name = '{';
  for (const field in value) {
    const held = value[field as keyof typeof value];
    if (held !== undefined) name += `${field}:${valueName(held, relative)},`;
  }
  return name;
}

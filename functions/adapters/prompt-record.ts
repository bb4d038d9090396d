import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { UnknownRecordVersionError } from '#core/errors.ts';
import { parseJson } from '#core/json.ts';
import type { Gauge, PastPrompt, WorkList } from '#core/ports.ts';
import type { UnfinishedPrompt } from '#core/prompt.ts';
import type { Receipt } from '#core/prompting/decide.ts';
import { debtsOf, type Slot, workOf } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';

/**
 * How records lie in the table. What no condition or index looks at is one JSON text: it keeps every character and
 * number as it came (lone surrogates, 1.0), and the nesting limit of DynamoDB's maps does not reach it.
 */
type Attributes = Record<string, AttributeValue>;

const VERSION = 1;
/** A body nests what was let in (32) within its own few levels. */
const BODY_DEPTH = 64;
/** A parked body is kept whole up to here; beyond, its length and the queue's message id must do. */
const PARKED_BODY_LIMIT = 350 * 1024;

export function ofSlot(thread: Thread, slot: Slot): Attributes {
  const { rev, ...body } = slot;
  const work = workOf(slot);
  // Only there, so that a settlement leaves the entry of its open question as it is.
  const debts = work?.list === 'unfinished' ? Object.entries(debtsOf(slot)) : [];
  return {
    ...version,
    rev: { N: String(rev + 1) },
    thread: { S: JSON.stringify(thread) },
    body: { S: JSON.stringify(body) },
    ...(work && listed(work.list, work.at)),
    ...Object.fromEntries(debts.map(([name, since]) => [name, { N: String(since) }])),
  };
}

export function slotOf(row: Attributes): Slot {
  checkVersion(row);
  return { rev: Number(row.rev?.N), ...(parseBody(row.body) as Omit<Slot, 'rev'>) };
}

export function threadsOf(rows: Attributes[]): Thread[] {
  return rows.map((row) => JSON.parse(row.thread?.S ?? '') as Thread);
}

/** Entries of one list, the first of them the oldest. */
export function gaugeOf(rows: Attributes[]): Gauge {
  const earliest = (name: string) =>
    rows
      .flatMap((row) => (row[name]?.N === undefined ? [] : [Number(row[name].N)]))
      .reduce<number | undefined>((least, since) => (least === undefined || since < least ? since : least), undefined);
  return {
    count: rows.length,
    since: earliest('due_at'),
    unnotified_since: earliest('unnotified_since'),
    unaudited_since: earliest('unaudited_since'),
  };
}

/** An outcome that the agent has not acknowledged is listed until it has. */
export function ofPastPrompt(thread: Thread, prompt: UnfinishedPrompt): Attributes {
  const acked_at = prompt.state === 'withdrawn' ? undefined : prompt.acked_at;
  return {
    ...version,
    thread: { S: JSON.stringify(thread) },
    prompt_id: { S: prompt.prompt_id },
    prompt_state: { S: prompt.state },
    body: { S: JSON.stringify(prompt) },
    ...(acked_at !== undefined && { acked_at: { N: String(acked_at) } }),
    ...(prompt.state !== 'withdrawn' && acked_at === undefined && listed('unacknowledged', prompt.settled_at)),
  };
}

export function pastPromptOf(row: Attributes): PastPrompt {
  checkVersion(row);
  const prompt = parseBody(row.body) as PastPrompt;
  return row.acked_at?.N === undefined ? prompt : { ...prompt, acked_at: Number(row.acked_at.N) };
}

export function ofReceipt(receipt: Receipt): Attributes {
  return {
    ...version,
    use: { S: receipt.use },
    ...('prompt_id' in receipt && { prompt_id: { S: receipt.prompt_id } }),
  };
}

export function receiptOf(row: Attributes): Receipt {
  checkVersion(row);
  const use = row.use?.S as Receipt['use'];
  return use === 'next_turn' ? { use } : { use, prompt_id: row.prompt_id?.S ?? '' };
}

export function ofParked(body: string, why: string, now: number): Attributes {
  return {
    ...version,
    why: { S: why },
    parked_at: { N: String(now) },
    length: { N: String(body.length) },
    ...(body.length <= PARKED_BODY_LIMIT / 3 && { body: { S: JSON.stringify(body) } }),
  };
}

const listed = (list: WorkList, at: number): Attributes => ({ work: { S: list }, due_at: { N: String(at) } });

const version = { version: { N: String(VERSION) } };

function checkVersion(row: Attributes): void {
  if (row.version?.N !== String(VERSION)) {
    throw new UnknownRecordVersionError(`record of version ${row.version?.N}, this code knows ${VERSION}`);
  }
}

function parseBody(body: AttributeValue | undefined): unknown {
  const parsed = parseJson(body?.S ?? '', BODY_DEPTH);
  if (!parsed.ok) throw new UnknownRecordVersionError('the record holds no JSON');
  return parsed.value;
}

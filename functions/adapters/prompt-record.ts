import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { UnknownRecordVersionError } from '#core/errors.ts';
import { parseJson } from '#core/json.ts';
import type { PastPrompt } from '#core/ports.ts';
import type { UnfinishedPrompt } from '#core/prompt.ts';
import type { Receipt } from '#core/prompting/decide.ts';
import type { Slot } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';

/**
 * How records lie in the table. What no condition or index looks at is one JSON text: it keeps every character and
 * number as it came (lone surrogates, 1.0), and the nesting limit of DynamoDB's maps does not reach it.
 */
type Attributes = Record<string, AttributeValue>;

const VERSION = 1;
/** A body nests what was let in (32) within its own few levels. */
const BODY_DEPTH = 64;
/** Partition of the sparse index: threads with something unfinished, by when it is due. */
export const UNFINISHED = 'unfinished';
/** A parked body is kept whole up to here; beyond, its length and the queue's message id must do. */
const PARKED_BODY_LIMIT = 350 * 1024;

export function ofSlot(thread: Thread, { rev, ...slot }: Slot, dueAt: number | undefined): Attributes {
  return {
    ...version,
    rev: { N: String(rev + 1) },
    thread: { S: JSON.stringify(thread) },
    body: { S: JSON.stringify(slot) },
    ...(dueAt !== undefined && { work: { S: UNFINISHED }, due_at: { N: String(dueAt) } }),
  };
}

export function slotOf(row: Attributes): Slot {
  checkVersion(row);
  return { rev: Number(row.rev?.N), ...(parseBody(row.body) as Omit<Slot, 'rev'>) };
}

export function threadsOf(rows: Attributes[]): Thread[] {
  return rows.map((row) => JSON.parse(row.thread?.S ?? '') as Thread);
}

export function ofPastPrompt(prompt: UnfinishedPrompt): Attributes {
  const acked_at = prompt.state === 'withdrawn' ? undefined : prompt.acked_at;
  return {
    ...version,
    prompt_id: { S: prompt.prompt_id },
    prompt_state: { S: prompt.state },
    body: { S: JSON.stringify(prompt) },
    ...(acked_at !== undefined && { acked_at: { N: String(acked_at) } }),
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

import {
  type AttributeValue,
  BatchGetItemCommand,
  type BatchGetItemCommandOutput,
  BatchWriteItemCommand,
  type BatchWriteItemCommandOutput,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { digest, threadGroup } from '#adapters/names.ts';
import * as record from '#adapters/prompt-record.ts';
import { SlotTooLargeError } from '#core/errors.ts';
import type { Gauge, PastPrompt, PromptStore, StoredThread, WorkList } from '#core/ports.ts';
import type { SettledPrompt, UnfinishedPrompt } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import type { Receipt } from '#core/prompting/decide.ts';
import { emptySlot, type Slot } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { utf8Bytes } from '#core/utf8.ts';

type Attributes = Record<string, AttributeValue>;

const NOT_WRITTEN_YET = 'attribute_not_exists(pk)';
const UNCHANGED_SINCE_READ = 'rev = :seen';
/** DynamoDB's own limit is 400 KB with keys and attribute names. */
const SLOT_LIMIT_BYTES = 399 * 1024;
/** Longer than queue, dead-letter queue and the host's retries together can hold an item back (C30). */
const RECEIPT_DAYS = 30;
const WORK_INDEX = 'work';
/** Beyond so many a gauge tells "at least": its cost must not grow with what it measures. */
const GAUGE_LIMIT = 1000;

/** One DynamoDB table: the slot of each thread, its past prompts, and the receipts of its items. */
export function promptStore(dynamodb: DynamoDBClient, TableName: string, now: () => number): PromptStore {
  const slotKey = (thread: Thread) => key(threadGroup(thread), 'slot');
  const itemKey = (thread: Thread, item_id: string) => key(threadGroup(thread), `item#${digest(item_id)}`);
  const pastKey = (thread: Thread, requestKey: string) => key(threadGroup(thread), `prompt#${requestKey}`);

  async function read(thread: Thread, also: { items?: string[]; requestKey?: string } = {}): Promise<StoredThread> {
    const items = [...new Set(also.items ?? [])];
    const rows = await readTogether([slotKey(thread), ...items.map((id) => itemKey(thread, id))]);
    // A prompt leaves the slot for the history, and one read of both is no snapshot: in this order none is missed.
    if (also.requestKey !== undefined) rows.push(...(await readTogether([pastKey(thread, also.requestKey)])));
    const row = (wanted: Attributes) => rows.find((found) => found.sk?.S === wanted.sk?.S);
    const receipts = new Map<string, Receipt>();
    for (const id of items) {
      const found = row(itemKey(thread, id));
      if (found) receipts.set(id, record.receiptOf(found));
    }
    const slot = row(slotKey(thread));
    const past = also.requestKey === undefined ? undefined : row(pastKey(thread, also.requestKey));
    return {
      slot: slot ? record.slotOf(slot) : emptySlot(),
      receipts,
      ...(past && { past: record.pastPromptOf(past) }),
    };
  }

  async function readTogether(Keys: Attributes[]): Promise<Attributes[]> {
    const rows: Attributes[] = [];
    for (let wanted: Attributes[] | undefined = Keys; wanted?.length; ) {
      const page: BatchGetItemCommandOutput = await dynamodb.send(
        new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: wanted, ConsistentRead: true } } }),
      );
      rows.push(...(page.Responses?.[TableName] ?? []));
      wanted = page.UnprocessedKeys?.[TableName]?.Keys;
    }
    return rows;
  }

  async function save(thread: Thread, slot: Slot): Promise<boolean> {
    const row = { ...slotKey(thread), ...record.ofSlot(thread, slot) };
    if (utf8Bytes(row.body?.S ?? '') > SLOT_LIMIT_BYTES) throw new SlotTooLargeError('the record would pass 400 KB');
    try {
      await dynamodb.send(
        new PutItemCommand({
          TableName,
          Item: row,
          ...(slot.rev === 0
            ? { ConditionExpression: NOT_WRITTEN_YET }
            : {
                ConditionExpression: UNCHANGED_SINCE_READ,
                ExpressionAttributeValues: { ':seen': { N: String(slot.rev) } },
              }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  const receiptRow = (thread: Thread, item_id: string, receipt: Receipt): Attributes => ({
    ...itemKey(thread, item_id),
    ...record.ofReceipt(receipt),
    // Our own prompt items are known for ever: a reply to one names its prompt, however late (A5).
    ...(receipt.use !== 'prompt' && { expires_at: { N: String(Math.floor(now() / 1000) + RECEIPT_DAYS * 86_400) } }),
  });

  async function keep(thread: Thread, prompt: UnfinishedPrompt): Promise<void> {
    if (prompt.state === 'withdrawn') return keepWithdrawn(thread, prompt);
    const rows = [{ ...pastKey(thread, requestKeyOf(prompt.prompt_id)), ...record.ofPastPrompt(thread, prompt) }];
    if (prompt.state === 'answered') {
      const { prompt_id, answered_by } = prompt;
      rows.push(receiptRow(thread, answered_by.item_id, { use: 'answer', prompt_id }));
    }
    let requests: WriteRequest[] | undefined = rows.map((Item) => ({ PutRequest: { Item } }));
    while (requests?.length) {
      const answer: BatchWriteItemCommandOutput = await dynamodb.send(
        new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }),
      );
      requests = answer.UnprocessedItems?.[TableName];
    }
  }

  /** Given up is no outcome: a slow writer must not put it over one. */
  async function keepWithdrawn(thread: Thread, prompt: UnfinishedPrompt): Promise<void> {
    try {
      await dynamodb.send(
        new PutItemCommand({
          TableName,
          Item: { ...pastKey(thread, requestKeyOf(prompt.prompt_id)), ...record.ofPastPrompt(thread, prompt) },
          ConditionExpression: `${NOT_WRITTEN_YET} OR prompt_state = :withdrawn`,
          ExpressionAttributeValues: { ':withdrawn': { S: 'withdrawn' } },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  async function putReceipt(thread: Thread, item_id: string, receipt: Receipt): Promise<void> {
    await dynamodb.send(new PutItemCommand({ TableName, Item: receiptRow(thread, item_id, receipt) }));
  }

  async function unacknowledged(thread: Thread): Promise<SettledPrompt[]> {
    const prompts: SettledPrompt[] = [];
    let ExclusiveStartKey: Attributes | undefined;
    do {
      const page = await dynamodb.send(
        new QueryCommand({
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :thread AND begins_with(sk, :past)',
          FilterExpression: 'attribute_not_exists(acked_at) AND prompt_state <> :withdrawn',
          ExpressionAttributeValues: {
            ':thread': { S: threadGroup(thread) },
            ':past': { S: 'prompt#' },
            ':withdrawn': { S: 'withdrawn' },
          },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
      prompts.push(...(page.Items ?? []).map((row) => record.pastPromptOf(row) as SettledPrompt));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return prompts.sort((a, b) => a.settled_at - b.settled_at);
  }

  async function acknowledge(thread: Thread, prompt: PastPrompt, at: number): Promise<void> {
    await dynamodb.send(
      new UpdateItemCommand({
        TableName,
        Key: pastKey(thread, requestKeyOf(prompt.prompt_id)),
        UpdateExpression: 'SET acked_at = if_not_exists(acked_at, :at) REMOVE #work, due_at',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#work': 'work' },
        ExpressionAttributeValues: { ':at': { N: String(at) } },
      }),
    );
  }

  async function due(at: number, Limit: number): Promise<Thread[]> {
    const { Items } = await dynamodb.send(
      new QueryCommand({
        TableName,
        IndexName: WORK_INDEX,
        KeyConditionExpression: '#work = :unfinished AND due_at <= :now',
        ExpressionAttributeNames: { '#work': 'work' },
        ExpressionAttributeValues: { ':unfinished': { S: 'unfinished' }, ':now': { N: String(at) } },
        Limit,
      }),
    );
    return record.threadsOf(Items ?? []);
  }

  async function gauge(list: WorkList): Promise<Gauge> {
    const { Items = [] } = await dynamodb.send(
      new QueryCommand({
        TableName,
        IndexName: WORK_INDEX,
        KeyConditionExpression: '#work = :list',
        ExpressionAttributeNames: { '#work': 'work' },
        ExpressionAttributeValues: { ':list': { S: list } },
        Limit: GAUGE_LIMIT,
      }),
    );
    return record.gaugeOf(Items);
  }

  async function park(messageId: string, body: string, why: string, at: number): Promise<void> {
    const Item = { ...key('parked', messageId), ...record.ofParked(body, why, at) };
    await dynamodb.send(new PutItemCommand({ TableName, Item }));
  }

  return { read, save, keep, putReceipt, unacknowledged, acknowledge, due, gauge, park };
}

function key(pk: string, sk: string): Attributes {
  return { pk: { S: pk }, sk: { S: sk } };
}

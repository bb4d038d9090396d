import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { PermanentFault } from '#core/errors.ts';
import { hostIdSchema, itemSchema, threadSchema } from '#core/host-schemas.ts';
import type { Item } from '#core/item.ts';
import { parseJson } from '#core/json.ts';
import type { Ports } from '#core/ports.ts';
import type { Thread } from '#core/thread.ts';
import { reportDecision } from './report-decision.ts';
import { resolveItem } from './resolve-item.ts';

const messageSchema = z.object({ thread: threadSchema, item_id: hostIdSchema, item: itemSchema.optional() });

/** The envelope around the item adds a level to what ingest let in. */
const MESSAGE_DEPTH = 40;
/** An item may reach us before the host's own reads show it; after this many receives it does not exist. */
const RECEIVES_UNTIL_UNKNOWN = 5;

/** One message of the queue. What can never be handled is parked and acknowledged (protocol step 9). */
export async function resolveRecord(ports: Ports, record: SQSRecord): Promise<void> {
  const fields = { message_id: record.messageId, receive_count: Number(record.attributes.ApproximateReceiveCount) };
  try {
    const { thread, item_id, item } = readMessage(record.body);
    const inbound = item ?? (await readItem(ports, thread, item_id, record));
    const report = reportDecision(await resolveItem(ports, thread, inbound), inbound);
    const group = record.attributes.MessageGroupId;
    ports.telemetry.info('item_resolved', { ...fields, group, item_id, ...report.fields }, report.metrics);
  } catch (error) {
    if (!(error instanceof PermanentFault)) throw error;
    await ports.store.park(record.messageId, record.body, error.message, ports.clock.now());
    ports.telemetry.failure('item_parked', error, { ...fields, why: error.message }, { Parked: 1 });
  }
}

function readMessage(body: string): { thread: Thread; item_id: string; item?: Item } {
  const parsed = parseJson(body, MESSAGE_DEPTH);
  if (!parsed.ok || !messageSchema.safeParse(parsed.value).success) {
    throw new PermanentFault('the message is not of the shape that ingest sends');
  }
  return parsed.value as { thread: Thread; item_id: string; item?: Item };
}

async function readItem({ threadHost }: Ports, thread: Thread, item_id: string, record: SQSRecord): Promise<Item> {
  const item = await threadHost.get(thread, item_id);
  if (item) return item;
  if (Number(record.attributes.ApproximateReceiveCount) >= RECEIVES_UNTIL_UNKNOWN) {
    throw new PermanentFault('the thread host does not know the item');
  }
  throw new Error('the thread host does not know the item yet');
}

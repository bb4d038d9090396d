import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Ports } from '#core/ports.ts';
import { retryDelayMs } from '#settlement/back-off.ts';
import { resolveRecord } from './resolve-record.ts';

/** A record takes a read of the item, the settlement and an audit post, at 5 s each at most; begun later, it would be cut. */
const RECORD_TIME_MS = 16_000;

/**
 * A batch may mix threads. Records of one thread are resolved in order, and the first failure holds back the thread's
 * later ones; other threads go on.
 */
export async function resolveBatch(
  ports: Ports,
  records: SQSRecord[],
  remainingMs: () => number,
): Promise<SQSBatchResponse> {
  const groups = Map.groupBy(records, (record) => record.attributes.MessageGroupId);
  const failed = await Promise.all([...groups.values()].map((group) => resolveGroup(ports, group, remainingMs)));
  return { batchItemFailures: failed.flat().map((record) => ({ itemIdentifier: record.messageId })) };
}

/** @returns the records to deliver again */
async function resolveGroup(ports: Ports, group: SQSRecord[], remainingMs: () => number): Promise<SQSRecord[]> {
  for (const [done, record] of group.entries()) {
    try {
      if (remainingMs() < RECORD_TIME_MS) return await retry(ports, group.slice(done), 0);
      await resolveRecord(ports, record);
    } catch (error) {
      const failingForMs = ports.clock.now() - Number(record.attributes.ApproximateFirstReceiveTimestamp);
      const delayMs = retryDelayMs(failingForMs);
      const fields = {
        message_id: record.messageId,
        group: record.attributes.MessageGroupId,
        receive_count: Number(record.attributes.ApproximateReceiveCount),
        delay_ms: delayMs,
      };
      ports.telemetry.failure('item_retried', error, fields, { ItemRetried: 1 });
      return await retry(ports, group.slice(done), delayMs);
    }
  }
  return [];
}

/** All of a thread's rest comes back at the same time; a visibility that cannot be changed runs out by itself. */
async function retry({ threadItems, telemetry }: Ports, records: SQSRecord[], delayMs: number): Promise<SQSRecord[]> {
  const seconds = Math.round(delayMs / 1000);
  await Promise.all(
    records.map((record) =>
      threadItems
        .retryAfter(record.receiptHandle, seconds)
        .catch((error) => telemetry.failure('visibility_unchanged', error, { message_id: record.messageId })),
    ),
  );
  return records;
}

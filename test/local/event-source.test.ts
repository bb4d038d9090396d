import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { failedMessages } from '../../infra/local/batch-response.ts';
import type { Emulator } from '../../infra/local/emulator.ts';
import { EventSource } from '../../infra/local/event-source.ts';
import type { Invocation } from '../../infra/local/execution-environment.ts';
import { startSqs } from '../../infra/local/sqs-emulator.ts';
import { eventually } from '../support/eventually.ts';
import { stubFunction } from './stub-function.ts';

const root = mkdtempSync(path.join(tmpdir(), 'event-source-'));
const stops: (() => Promise<unknown>)[] = [];
let emulator: Emulator;
let sqs: SQSClient;
let queues = 0;

beforeAll(async () => {
  emulator = await startSqs({ port: 0, region: 'us-east-1' });
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  sqs = new SQSClient({ endpoint: emulator.url, region: 'us-east-1', credentials });
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(async () => {
  sqs.destroy();
  await emulator.stop();
  rmSync(root, { recursive: true });
});

type Handled = SQSRecord & { at: number };
type Queue = {
  url: string;
  name: string;
  send(group: string, ...bodies: string[]): Promise<void>;
  depth(): Promise<number>;
};

async function createQueue(attributes: Record<string, string> = {}): Promise<Queue> {
  const name = `q${++queues}.fifo`;
  const Attributes = { FifoQueue: 'true', VisibilityTimeout: '1', ...attributes };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  return {
    url: QueueUrl,
    name,
    async send(group, ...bodies) {
      for (const MessageBody of bodies) {
        const MessageDeduplicationId = crypto.randomUUID();
        await sqs.send(
          new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: group, MessageDeduplicationId }),
        );
      }
    },
    async depth() {
      const { Attributes: now = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      return Number(now.ApproximateNumberOfMessages) + Number(now.ApproximateNumberOfMessagesNotVisible);
    },
  };
}

/** An event source whose function is `handle`, called with each batch. */
function follow(
  queue: Queue,
  handle: (records: Handled[]) => Promise<unknown>,
  options: Partial<{ concurrency: number; batchSize: number }> = {},
) {
  const records: Handled[] = [];
  const lines: string[] = [];
  const source = new EventSource({
    queueUrl: queue.url,
    queueArn: `arn:aws:sqs:us-east-1:000000000000:${queue.name}`,
    region: 'us-east-1',
    batchSize: options.batchSize ?? 10,
    reportsItemFailures: true,
    concurrency: options.concurrency ?? 10,
    sqs,
    log: (line) => lines.push(line),
    async invoke({ Records }): Promise<Invocation> {
      const batch = Records.map((record) => ({ ...record, at: Date.now() }));
      records.push(...batch);
      try {
        return { ok: true, payload: JSON.stringify((await handle(batch)) ?? null) };
      } catch (error) {
        return { ok: false, error: { errorType: 'Error', errorMessage: String(error) } };
      }
    },
  });
  stops.push(() => source.stop());
  return { records, lines, bodies: () => records.map(({ body }) => body), source };
}

const failuresOf = (records: SQSRecord[]) => ({
  batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});

it('hands over records as Lambda does, and deletes what was handled', async () => {
  const queue = await createQueue();
  const { records } = follow(queue, async () => undefined);
  await queue.send('g', 'hé 😊');
  await eventually(async () => records.length === 1 && (await queue.depth()) === 0, 'an empty queue');
  expect(records[0]).toMatchObject({
    messageId: expect.any(String),
    receiptHandle: expect.any(String),
    body: 'hé 😊',
    attributes: {
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      MessageGroupId: 'g',
      MessageDeduplicationId: expect.any(String),
      SequenceNumber: expect.any(String),
    },
    messageAttributes: {},
    md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue.name}`,
    awsRegion: 'us-east-1',
  });
});

it('keeps a failed message until its visibility time-out, and its group behind it; other groups go on', async () => {
  const queue = await createQueue();
  await queue.send('a', 'a1', 'a2');
  await queue.send('b', 'b1', 'b2');
  const failOnce = new Set(['a1']);
  const { records, bodies } = follow(queue, async (batch) =>
    failuresOf(batch.filter(({ body }) => failOnce.delete(body))),
  );
  await eventually(async () => (await queue.depth()) === 0, 'an empty queue');
  expect(bodies().filter((body) => body.startsWith('a'))).toEqual(['a1', 'a1', 'a2']);
  expect(bodies().filter((body) => body.startsWith('b'))).toEqual(['b1', 'b2']);
  const [first, second] = records.filter(({ body }) => body === 'a1');
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(950);
  expect(second?.attributes.ApproximateReceiveCount).toBe('2');
  expect((records.find(({ body }) => body === 'b2')?.at ?? 0) < (second?.at ?? 0)).toBe(true);
});

it.each([
  ['throws', async () => Promise.reject(new Error('x'))],
  ['names a message that is not in the batch', async () => ({ batchItemFailures: [{ itemIdentifier: 'other' }] })],
])('deletes nothing of a batch whose function %s', async (_name, answer) => {
  const queue = await createQueue();
  await queue.send('a', 'a1');
  await queue.send('b', 'b1');
  const { records } = follow(queue, async () => (handedTwice() ? undefined : answer()));
  // Each came again only because nothing of its batch was deleted.
  const handedTwice = () => ['a1', 'b1'].every((one) => records.filter(({ body }) => body === one).length > 1);
  await eventually(async () => handedTwice() && (await queue.depth()) === 0, 'both twice, then an empty queue');
});

it('a function that is killed by its time-out leaves its message in the queue, with a real worker behind it', async () => {
  const queue = await createQueue();
  const lambda = stubFunction(
    path.join(root, 'hangs'),
    `export const handler = async ({ Records: [{ attributes }] }) => { if (attributes.ApproximateReceiveCount === '1') for (;;); };`,
    { timeoutMs: 300 },
  );
  stops.push(() => lambda.stop());
  const counts: string[] = [];
  const source = new EventSource({
    queueUrl: queue.url,
    queueArn: 'arn',
    region: 'us-east-1',
    batchSize: 10,
    reportsItemFailures: true,
    concurrency: 5,
    sqs,
    log: () => {},
    invoke: (event) => {
      counts.push(event.Records[0]?.attributes.ApproximateReceiveCount ?? '');
      return lambda.invoke(event);
    },
  });
  stops.push(() => source.stop());
  await queue.send('g', 'm');
  await eventually(async () => counts.length === 2 && (await queue.depth()) === 0, 'a second receive');
  expect(counts).toEqual(['1', '2']);
  expect(lambda.lines.join()).toContain('Sandbox.Timedout');
});

it('moves what was received too often to the dead-letter queue, in its group', async () => {
  const dlq = await createQueue();
  const policy = { deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${dlq.name}`, maxReceiveCount: 1 };
  const queue = await createQueue({ RedrivePolicy: JSON.stringify(policy) });
  await queue.send('g', 'bad', 'good');
  const { bodies } = follow(queue, async (batch) => failuresOf(batch.filter(({ body }) => body === 'bad')));
  await eventually(async () => (await dlq.depth()) === 1 && (await queue.depth()) === 0, 'a dead letter');
  expect(bodies()).toEqual(['bad', 'good']);
});

it('has five batches in hand while it is busy, and never more than the mapping allows', async () => {
  const queue = await createQueue({ VisibilityTimeout: '30' });
  const groups = Array.from({ length: 9 }, (_, n) => `g${n}`);
  let running = 0;
  let most = 0;
  const { records } = follow(
    queue,
    async () => {
      most = Math.max(most, ++running);
      await eventually(() => most >= 5, 'five at once');
      running--;
    },
    { concurrency: 7, batchSize: 1 },
  );
  for (const group of groups) await queue.send(group, 'm', 'n', 'o');
  await eventually(async () => records.length === 27 && (await queue.depth()) === 0, 'an empty queue');
  expect(most).toBeLessThanOrEqual(7);
});

it('waits while the queue is gone', async () => {
  const { lines, source } = follow(
    { url: `${emulator.url}/000000000000/none.fifo`, name: 'none' } as Queue,
    async () => {},
  );
  await eventually(() => lines.length >= 5, 'a line for each poller');
  expect(lines[0]).toContain('the queue cannot be read');
  const began = performance.now();
  await source.stop();
  expect(performance.now() - began).toBeLessThan(500);
});

const BATCH = ['m1', 'm2'];
const answer = (value: unknown): Invocation => ({ ok: true, payload: JSON.stringify(value) });
it.each<[string, Invocation, string[]]>([
  ['null', answer(null), []],
  ['an empty object', answer({}), []],
  ['a null list', answer({ batchItemFailures: null }), []],
  ['an empty list', answer({ batchItemFailures: [] }), []],
  ['one of them, twice', answer({ batchItemFailures: [{ itemIdentifier: 'm2' }, { itemIdentifier: 'm2' }] }), ['m2']],
  ['an unknown one', answer({ batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'x' }] }), BATCH],
  ['an empty identifier', answer({ batchItemFailures: [{ itemIdentifier: '' }] }), BATCH],
  ['a null identifier', answer({ batchItemFailures: [{ itemIdentifier: null }] }), BATCH],
  ['another key', answer({ batchItemFailures: [{ messageId: 'm1' }] }), BATCH],
  ['null in the list', answer({ batchItemFailures: [null] }), BATCH],
  ['no list', answer({ batchItemFailures: 'm1' }), BATCH],
  ['a text', answer('ok'), BATCH],
  ['an error', { ok: false, error: { errorType: 'E', errorMessage: '' } }, BATCH],
])('partial batch response: %s', (_name, invocation, failed) => {
  expect([...failedMessages(invocation, BATCH, true).ids]).toEqual(failed);
});

it('without ReportBatchItemFailures only an error fails a batch', () => {
  expect(failedMessages(answer({ batchItemFailures: [{ itemIdentifier: 'm1' }] }), BATCH, false).ids.size).toBe(0);
});

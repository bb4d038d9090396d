import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, expect, it } from 'vitest';
import { startDynamoDb } from '../../infra/local/dynamodb-emulator.ts';
import { startSqs } from '../../infra/local/sqs-emulator.ts';
import { eventually } from '../support/eventually.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function sqs(dataDir?: string) {
  const emulator = await startSqs({ port: 0, region: 'us-east-1', ...(dataDir && { dataDir }) });
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new SQSClient({ endpoint: emulator.url, region: 'us-east-1', credentials });
  stops.push(emulator.stop, () => client.destroy());
  const name = { QueueName: 'q.fifo' };
  const Attributes = { FifoQueue: 'true', VisibilityTimeout: '300' };
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ ...name, Attributes }));
  return {
    emulator,
    url: QueueUrl,
    sameUrl: async () => (await client.send(new GetQueueUrlCommand(name))).QueueUrl,
    send: (MessageBody: string, MessageGroupId = 'g') => {
      const MessageDeduplicationId = crypto.randomUUID();
      return client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId, MessageDeduplicationId }));
    },
    async receive(WaitTimeSeconds = 0, abortSignal?: AbortSignal) {
      const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, AttributeNames: ['All'] });
      const { Messages = [] } = await client.send(command, abortSignal && { abortSignal });
      return Messages[0];
    },
    show: (ReceiptHandle: string | undefined) =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
  };
}

it('SQS takes a message of 1 MiB and every character of XML', async () => {
  const { url, emulator, send, receive } = await sqs();
  expect(new URL(url).origin).toBe(emulator.url);
  for (const body of ['x'.repeat(1024 * 1024), '😊 \u{10ffff}']) {
    await send(body, body.slice(0, 1));
    expect((await receive())?.Body).toBe(body);
  }
  await expect(send('x'.repeat(1024 * 1024 + 1))).rejects.toThrow('must be shorter');
  await expect(send('\u0001')).rejects.toThrow('Invalid characters');
  await expect(send('\uffff')).rejects.toThrow('Invalid characters');
});

it('SQS keeps messages, their order and their counts in a folder; what was in flight is there again at once', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sqs-'));
  stops.push(() => rmSync(dataDir, { recursive: true }));
  const first = await sqs(dataDir);
  for (const body of ['1', '2', '3']) await first.send(body);
  await first.show((await first.receive())?.ReceiptHandle);
  const again = await first.receive();
  expect([again?.Body, again?.Attributes?.ApproximateReceiveCount]).toEqual(['1', '2']);
  expect(await first.receive()).toBe(undefined);
  await first.emulator.stop();

  const second = await sqs(dataDir);
  expect(await second.sameUrl()).toBe(`${second.emulator.url}/000000000000/q.fifo`);
  const message = await second.receive();
  expect([message?.Body, message?.Attributes?.ApproximateReceiveCount]).toEqual(['1', '3']);
  expect(await second.receive()).toBe(undefined);
});

it('SQS tells how many messages wait, and since when the oldest is there, also while somebody has it in hand', async () => {
  const { emulator, send, receive } = await sqs();
  expect(emulator.queues()).toEqual([{ name: 'q.fifo', visible: 0, oldestSentAt: undefined }]);
  await send('1', 'a');
  await send('2', 'b');
  const [both] = emulator.queues();
  expect(both?.visible).toBe(2);
  const first = await receive();
  expect(emulator.queues()).toEqual([{ name: 'q.fifo', visible: 1, oldestSentAt: both?.oldestSentAt }]);
  expect(both?.oldestSentAt).toBe(Number(first?.Attributes?.SentTimestamp));
});

it('SQS gives a message to the next reader where the first went away during its long poll', async () => {
  const { send, receive, sameUrl } = await sqs();
  const leaving = new AbortController();
  const gone = receive(20, leaving.signal).catch(() => 'gone');
  // Answered after the poll before it was read.
  await sameUrl();
  leaving.abort();
  expect(await gone).toBe('gone');
  // The end of a connection is noticed a turn or two later.
  for (let turn = 0; turn < 5; turn++) await sameUrl();
  await send('m');
  expect((await eventually(() => receive(), 'the message')).Body).toBe('m');
});

it('DynamoDB lives on when a client goes away in the middle of a request, and lets no other origin in', async () => {
  const emulator = await startDynamoDb({ port: 0 });
  stops.push(emulator.stop);
  const { port } = new URL(emulator.url);
  const socket = connect(Number(port), '127.0.0.1');
  await new Promise<void>((resolve) => {
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{', () => resolve());
  });
  socket.resetAndDestroy();
  const answer = await fetch(emulator.url, { headers: { origin: 'http://elsewhere' } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBe(null);
});

it('nothing is reachable from another machine', async () => {
  const own = Object.values(networkInterfaces()).flat();
  const address = own.find((entry) => entry?.family === 'IPv4' && !entry.internal)?.address;
  const emulators = [await startSqs({ port: 0, region: 'us-east-1' }), await startDynamoDb({ port: 0 })];
  for (const { url, stop } of emulators) {
    stops.push(stop);
    if (address) await expect(fetch(url.replace('127.0.0.1', address))).rejects.toThrow();
  }
});

it('DynamoDB finishes what it has in hand before it stops, also for clients that are gone', async () => {
  const { url, stop } = await startDynamoDb({ port: 0 });
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new DynamoDBClient({ endpoint: url, region: 'us-east-1', credentials, maxAttempts: 1 });
  const TableName = 'table';
  const key = { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' as const }] };
  const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' as const }];
  await client.send(new CreateTableCommand({ TableName, ...key, KeySchema, BillingMode: 'PAY_PER_REQUEST' }));
  const put = (n: number) => client.send(new PutItemCommand({ TableName, Item: { pk: { S: String(n) } } }));
  await put(0);
  const puts = Array.from({ length: 40 }, (_, n) => put(n));
  await Promise.race(puts);
  client.destroy();
  // An error that is thrown at nobody fails the run.
  await stop();
  await Promise.allSettled(puts);
});

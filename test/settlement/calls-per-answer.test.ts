import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintPromptId } from '#adapters/names.ts';
import { promptStore } from '#adapters/prompt-store.ts';
import { runnerQueues, threadItemQueue } from '#adapters/queues.ts';
import type { Item } from '#core/item.ts';
import type { NewItem, Ports, ThreadHost } from '#core/ports.ts';
import { resolveItem } from '../../functions/resolver/resolve-item.ts';
import { raisePrompt } from '../../functions/runner-api/raise-prompt.ts';
import type { Emulator } from '../../infra/local/emulator.ts';
import { startSqs } from '../../infra/local/sqs-emulator.ts';
import { startTable, type TestTable } from '../support/dynamodb.ts';
import { at, item, OWN_USER, THREAD } from '../support/given.ts';

/** Requests are what an answer costs and what it waits for: their number and order must not grow unnoticed. */
let table: TestTable;
let emulator: Emulator;
let sqs: SQSClient;
let ports: Ports;
const requests: string[] = [];

beforeAll(async () => {
  table = await startTable();
  emulator = await startSqs({ port: 0, region: 'us-east-1' });
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  sqs = new SQSClient({ endpoint: emulator.url, region: 'us-east-1', credentials });
  const Attributes = { FifoQueue: 'true' };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'runner.fifo', Attributes }));
  countRequests(table.client);
  countRequests(sqs);
  ports = {
    store: promptStore(table.client, table.name, Date.now),
    threadHost: recordingHost(),
    runnerQueues: runnerQueues(sqs, { default: QueueUrl }),
    threadItems: threadItemQueue(sqs, QueueUrl),
    clock: { now: Date.now, wait: async () => {} },
    telemetry: { info: () => {}, failure: () => {} },
    mintPromptId,
  };
});
afterAll(async () => {
  sqs.destroy();
  await emulator.stop();
  await table.stop();
});

function countRequests(client: Pick<DynamoDBClient, 'middlewareStack'> | Pick<SQSClient, 'middlewareStack'>): void {
  (client as Pick<DynamoDBClient, 'middlewareStack'>).middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        requests.push(String(commandName).replace('Command', ''));
        return next(args);
      },
    { step: 'finalizeRequest' },
  );
}

function recordingHost(): ThreadHost {
  let posts = 0;
  const post = async (_thread: unknown, posted: NewItem) => {
    requests.push(`post ${posted.metadata.type}`);
    const stamped: Item = { id: `itm_own_${++posts}`, user_id: OWN_USER, created_at: at(posts), ...posted };
    return { outcome: 'posted', item: stamped } as const;
  };
  const nothing = async () => undefined;
  return { ownUserId: async () => OWN_USER, post, get: nothing, list: async () => [], findOwn: nothing };
}

const options = [{ label: 'Approve' }, { label: 'Deny' }];
const raise = { request_id: 'req', kind: 'approval' as const, questions: [{ question: 'Run it?', options }] };

it('an answer: one read and one write before the runner is notified, four DynamoDB requests in all', async () => {
  expect((await raisePrompt(ports, THREAD, raise)).status).toBe(201);
  requests.length = 0;
  await resolveItem(ports, THREAD, item('yes'));
  expect(requests).toEqual([
    'BatchGetItem',
    'PutItem',
    'SendMessage',
    'post pending_prompt_resolved',
    'BatchWriteItem',
    'PutItem',
  ]);
});

it('a next turn: two reads before, one write after', async () => {
  requests.length = 0;
  await resolveItem(ports, THREAD, item('and then?', { id: 'itm_next' }));
  expect(requests).toEqual(['BatchGetItem', 'BatchGetItem', 'SendMessage', 'PutItem']);
});

it('an item that comes again: one read', async () => {
  requests.length = 0;
  await resolveItem(ports, THREAD, item('yes'));
  expect(requests).toEqual(['BatchGetItem']);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, expect, it } from 'vitest';
import type { Addresses } from '../../infra/local/addresses.ts';
import { type DeployOptions, deployLocally, type LocalStack } from '../../infra/local/deploy.ts';
import { eventually } from '../support/eventually.ts';
import { writeStubAssembly } from './stub-assembly.ts';

const root = mkdtempSync(path.join(tmpdir(), 'deploy-'));
const assembly = writeStubAssembly(path.join(root, 'assembly'));
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(() => rmSync(root, { recursive: true }));

async function deploy(options: Partial<DeployOptions> = {}): Promise<LocalStack> {
  const stack = await deployLocally({ assembly, port: 0, scheduleEveryMs: 60_000, log: () => {}, ...options });
  stops.push(() => stack.stop());
  return stack;
}

async function hook({ webhook_url }: Addresses, body: string) {
  const headers = { 'content-type': 'text/plain' };
  const response = await fetch(webhook_url, { method: 'POST', headers, body });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

/** What the worker recorded under this key. */
function recorded({ aws, table_name }: Addresses, pk: string): Promise<string> {
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const client = new DynamoDBClient({ region: aws.region, endpoint: aws.dynamodb_endpoint, credentials });
  stops.push(() => client.destroy());
  const read = new GetItemCommand({ TableName: table_name, Key: { pk: { S: pk } } });
  return eventually(async () => (await client.send(read)).Item?.value?.S, `${pk} in the table`);
}

it('runs a template: gateway, secrets, queue, table, and functions with their own access keys', async () => {
  const { addresses } = await deploy({ webhookSecrets: ['whsec_a', 'whsec_b'] });
  const host = addresses.thread_host;
  expect(await hook(addresses, 'hello')).toEqual({
    status: 202,
    json: { secret: '["whsec_a","whsec_b"]', host: host.url },
  });
  expect(await recorded(addresses, 'hello 1')).toBe('Worker');
  expect(addresses.webhook_secret).toBe('whsec_a');
  expect(host.users?.map(({ user_id }) => user_id)).toEqual(['usr_anna', 'usr_ben']);
  expect((await fetch(addresses.surface_url)).status).toBe(200);
  for (const url of Object.values(addresses.runner_queue_urls)) {
    expect(new URL(url).origin).toBe(addresses.aws.sqs_endpoint);
  }
});

it('runs schedules at its own pace', async () => {
  const { addresses } = await deploy({ scheduleEveryMs: 50 });
  expect(await recorded(addresses, 'tick')).toBe('aws.events');
});

it('works with another thread host, whose users it does not know', async () => {
  const { addresses } = await deploy({ threadHost: { url: 'http://127.0.0.1:9', key: 'k' } });
  expect(addresses.thread_host).toEqual({ url: 'http://127.0.0.1:9', runner: { api_key: 'k' } });
  expect((await hook(addresses, 'x')).json.host).toBe('http://127.0.0.1:9');
  expect(await (await fetch(addresses.surface_url)).text()).toContain('http://127.0.0.1:9');
});

it('stops at what it does not know and at a port that is taken, and leaves nothing behind', async () => {
  const odd = { Odd: { Type: 'AWS::SQS::Queue', Properties: { KmsMasterKeyId: 'x' } } };
  const wrong = writeStubAssembly(path.join(root, 'wrong'), odd);
  await expect(deploy({ assembly: wrong })).rejects.toThrow('Odd: AWS::SQS::Queue KmsMasterKeyId is not supported');

  // Below the range from which the system takes free ports, so that no other test is there.
  const port = 20_000 + (process.pid % 10_000);
  const blocker = createServer().listen(port, '127.0.0.1');
  await once(blocker, 'listening');
  stops.push(() => blocker.close());
  await expect(deploy({ port: port - 2 })).rejects.toThrow(`Port ${port} is taken`);
  await expect(fetch(`http://127.0.0.1:${port - 2}/`)).rejects.toThrow();
});

it('refuses an event source as Lambda does: unreadable for its function, or showing messages again too soon', async () => {
  const bare = { WorkerRole: { Type: 'AWS::IAM::Role' } };
  await expect(deploy({ assembly: writeStubAssembly(path.join(root, 'unreadable'), bare) })).rejects.toThrow(
    /^Mapping: the queue cannot be read: User: \S+:assumed-role\/WorkerRole\/Worker is not .*sqs:getqueueattributes/,
  );
  const hasty = { Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true, VisibilityTimeout: 59 } } };
  await expect(deploy({ assembly: writeStubAssembly(path.join(root, 'hasty'), hasty) })).rejects.toThrow(
    "Mapping: the queue's visibility time-out (59 s) is below the function's time-out (60 s)",
  );
});

it('has everything again on the same data folder', async () => {
  const dataDir = path.join(root, 'data');
  const first = await deploy({ dataDir });
  await hook(first.addresses, 'kept');
  await recorded(first.addresses, 'kept 1');
  await expect(deploy({ dataDir })).rejects.toThrow('in use by another local stack');
  await first.stop();

  const second = await deploy({ dataDir });
  expect(await recorded(second.addresses, 'kept 1')).toBe('Worker');
  expect(second.addresses.webhook_secret).toBe(first.addresses.webhook_secret);
  expect(second.addresses.thread_host.users).toEqual(first.addresses.thread_host.users);
  expect(second.addresses.aws.secret_access_key).toBe(first.addresses.aws.secret_access_key);
});

it('delivers at once what was in flight when it was killed', async () => {
  const dataDir = path.join(root, 'killed');
  const stack = spawn(process.execPath, [path.join(import.meta.dirname, 'stub-stack.ts'), assembly, dataDir]);
  stops.push(() => stack.kill('SIGKILL'));
  const addresses = JSON.parse(await firstLine(stack)) as Addresses;
  await hook(addresses, 'hang');
  await hook(addresses, 'next');
  await recorded(addresses, 'hang 1');
  stack.kill('SIGKILL');
  await once(stack, 'exit');

  // The visibility time-out is six minutes.
  const again = await deploy({ dataDir });
  await recorded(again.addresses, 'hang 1');
  await recorded(again.addresses, 'hang 2');
  await recorded(again.addresses, 'next 1');
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text;
}

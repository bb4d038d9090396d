import { createServer } from 'node:http';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nextTurnMessage, outcomeMessage, type RunnerMessage } from '#core/runner-message.ts';
import { closeServer, listenOnLoopback } from '../../infra/local/loopback-server.ts';
import { startSqs } from '../../infra/local/sqs-emulator.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import type { ReadMessage } from '../../runner/read-message.ts';
import { type Following, followRunnerQueue } from '../../runner/runner-queue.ts';
import { eventually } from '../support/eventually.ts';
import { answered, item, THREAD } from '../support/given.ts';
import { threadOf } from './given-runner.ts';

const client = { region: 'us-east-1', credentials: { accessKeyId: 'k', secretAccessKey: 's' }, maxAttempts: 1 };
const stops = new StopStack();
let sqs: SQSClient;
let url: string;
let QueueUrl: string;
let sent = 0;

beforeEach(async () => {
  const emulator = await startSqs({ port: 0, region: 'us-east-1' });
  stops.add(() => emulator.stop());
  url = emulator.url;
  sqs = new SQSClient({ ...client, endpoint: url });
  stops.add(() => sqs.destroy());
  const Attributes = { FifoQueue: 'true', VisibilityTimeout: '60' };
  QueueUrl = String((await sqs.send(new CreateQueueCommand({ QueueName: 'r.fifo', Attributes }))).QueueUrl);
});
afterEach(() => stops.stopAll());

const turn = (id: string, thread = THREAD) => nextTurnMessage(thread, item(id, { id }), undefined);
const send = (body: unknown, group = 'one') =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
      MessageGroupId: group,
      MessageDeduplicationId: String(sent++),
    }),
  );
async function left(): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes?.[name]), 0);
}
function follow(handle: (message: RunnerMessage) => Promise<void>, more: Following = {}, by = sqs) {
  const stopping = new AbortController();
  const following = followRunnerQueue(by, QueueUrl, handle, stopping.signal, more);
  const stop = async () => {
    stopping.abort();
    await following;
  };
  stops.add(stop);
  return stop;
}

it('hands on in order, drops repeats of a thread, and removes what was handled', async () => {
  const heard: string[] = [];
  follow(async (message) => void heard.push(`${message.thread.session_id} ${message.message_id}`));
  for (const id of ['a', 'b', 'a', 'c']) await send(turn(id));
  await send(turn('a', threadOf('other')), 'other');
  await eventually(async () => (await left()) === 0, 'an empty queue');
  expect(heard.filter((name) => name.startsWith('ses_1'))).toEqual(['ses_1 a.turn', 'ses_1 b.turn', 'ses_1 c.turn']);
  expect(heard).toContain('other a.turn');
});

it('keeps a message whose handling failed, and goes on with other threads', async () => {
  const heard: string[] = [];
  const problems: string[] = [];
  const handle = async (message: RunnerMessage): Promise<void> => {
    if (message.thread.session_id === 'ses_1') throw new Error('the disk is full');
    heard.push(message.message_id);
  };
  follow(handle, { report: (what) => problems.push(what) });
  await send(turn('a'));
  await send(turn('b', threadOf('other')), 'other');
  await eventually(() => heard.length > 0, 'the other thread');
  expect(problems).toEqual(['a message could not be handled and comes again']);
  await eventually(async () => (await left()) === 1, 'one message left');
});

it.each([
  ['no JSON', '{"half', undefined],
  ['another type', { ...turn('a'), type: 'something_new' }, undefined],
  ['an answer that is no list', { ...answer(), prompt: { ...answer().prompt, answers: 'yes' } }, 'req_1'],
  ['an answer without the item that gave it', { ...answer(), item: undefined }, 'req_1'],
  ['no thread', { ...turn('a'), thread: { session_id: 'ses_1' } }, undefined],
])('leaves a message that it cannot read for the dead-letter queue, and goes on: %s', async (_, body, request_id) => {
  const heard: string[] = [];
  const faults: (ReadMessage & { ok: false })[] = [];
  follow(async (message) => void heard.push(message.message_id), { malformed: (fault) => faults.push(fault) });
  await send(body, 'bad');
  await send(turn('b'));
  await eventually(() => heard.length === 1 && faults.length === 1, 'the readable one');
  expect(faults[0]?.to?.request_id).toBe(request_id);
  await eventually(async () => (await left()) === 1, 'the unreadable one left');
});

function answer() {
  return outcomeMessage(THREAD, answered(), item('yes')) as RunnerMessage & { type: 'prompt_answered' };
}

it('backs off while the queue cannot be read, and reads it when it is back', async () => {
  let isAway = true;
  const server = createServer(async (request, response) => {
    if (isAway) return response.writeHead(500).end();
    const body = await new Response(request as never).text();
    const target = String(request.headers['x-amz-target']);
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    return response.writeHead(answer?.status ?? 502).end(await answer?.text());
  });
  const endpoint = await listenOnLoopback(server, 0);
  stops.add(() => closeServer(server));
  const through = new SQSClient({ ...client, endpoint });
  stops.add(() => through.destroy());
  const heard: string[] = [];
  const pauses: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
    isAway = pauses.length < 7;
  };
  await send(turn('a'));
  follow(async (message) => void heard.push(message.message_id), { pause }, through);
  await eventually(() => heard.length === 1, 'the message');
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

it('drops what comes again because it could not be removed, and removes it then', async () => {
  const heard: string[] = [];
  const problems: string[] = [];
  let isFirst = true;
  sqs.middlewareStack.add(
    (next) => async (args) => {
      if (isFirst && 'Entries' in args.input) {
        isFirst = false;
        throw new Error('the connection was lost');
      }
      return next(args);
    },
    { step: 'initialize' },
  );
  sqs.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { Messages = [] } = result.output as { Messages?: { ReceiptHandle: string }[] };
      if (isFirst) {
        for (const { ReceiptHandle } of Messages) {
          await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
        }
      }
      return result;
    },
    { step: 'initialize' },
  );
  await send(turn('a'));
  follow(async (message) => void heard.push(message.message_id), { report: (what) => problems.push(what) });
  await eventually(async () => !isFirst && (await left()) === 0, 'an empty queue');
  expect(heard).toEqual(['a.turn']);
  expect(problems).toEqual(['the queue could not be read']);
});

it('stops in the middle of a long poll', async () => {
  const stop = follow(async () => {});
  await send(turn('a'));
  await eventually(async () => (await left()) === 0, 'the long poll');
  const began = performance.now();
  await stop();
  expect(performance.now() - began).toBeLessThan(5000);
});

import { createServer, type Server } from 'node:http';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { threadGroup } from '#adapters/names.ts';
import { type Item, metadataField } from '#core/item.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { type DeployOptions, deployLocally, type LocalStack } from '../../infra/local/deploy.ts';
import { postItem } from '../../infra/local/host-post.ts';
import { closeServer, listenOnLoopback, readBody } from '../../infra/local/loopback-server.ts';
import type { StopStack } from '../../infra/local/stop-stack.ts';
import { webhookSignature } from '../../infra/local/thread-host/deliveries.ts';
import { type StartedHost, startThreadHost } from '../../infra/local/thread-host/start.ts';
import { type RunnerApi, runnerApi } from '../../runner/runner-api.ts';
import { eventually } from '../support/eventually.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const USER = { user_id: 'usr_anna', api_key: 'k_anna' };
const RUNNER = { user_id: 'usr_runner', api_key: 'k_runner' };
/** The name of the default runner's role is its access key id. */
const RUNNER_ROLE = 'InteractivePrompts-runner-default';

/** A door before the thread host: shut, it answers nothing but 503; or it only lets nobody post; or it answers as it is told. */
type Door = {
  url: string;
  isShut: boolean;
  takesNoPosts: boolean;
  answersWith: { status: number; body: string } | undefined;
};

async function startHost(stops: StopStack): Promise<{ host: StartedHost; door: Door }> {
  const credentials = { accessKeyId: '', secretAccessKey: '' };
  const identity = { credentials, webhookSecret: SECRET, runner: RUNNER, users: [USER] };
  const host = await startThreadHost({ port: 0, identity, log: () => {} });
  stops.add(() => host.stop());
  const server: Server = createServer(async (request, response) => {
    const body = await readBody(request, 1e6);
    if (door.answersWith && !request.url?.endsWith('/users/me')) {
      return response.writeHead(door.answersWith.status).end(door.answersWith.body);
    }
    if (door.isShut || (door.takesNoPosts && body.includes('"post_session_thread_item"')))
      return response.writeHead(503).end('{"error":"unavailable"}');
    const headers = { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' };
    const { method = 'GET' } = request;
    const answer = await fetch(new URL(request.url ?? '', host.url), { method, headers, ...(body.length && { body }) });
    return response.writeHead(answer.status).end(await answer.text());
  });
  const url = await listenOnLoopback(server, 0);
  const door: Door = { url, isShut: false, takesNoPosts: false, answersWith: undefined };
  stops.add(() => closeServer(server));
  return { host, door };
}

/** A runner as on AWS: with its role and nothing else. */
export function runnerOf({ addresses }: LocalStack, stops: StopStack): { api: RunnerApi; sqs: SQSClient } {
  const { region, secret_access_key } = addresses.aws;
  const credentials = { accessKeyId: RUNNER_ROLE, secretAccessKey: secret_access_key };
  const api = runnerApi(addresses.runner_api_url, { region, credentials: async () => credentials });
  return { api, sqs: sqsAs(RUNNER_ROLE, addresses, stops) };
}

function sqsAs(accessKeyId: string, { aws }: LocalStack['addresses'], stops: StopStack): SQSClient {
  const credentials = { accessKeyId, secretAccessKey: aws.secret_access_key };
  const sqs = new SQSClient({ region: aws.region, endpoint: aws.sqs_endpoint, credentials });
  stops.add(() => sqs.destroy());
  return sqs;
}

export type WorldOptions = Partial<Pick<DeployOptions, 'scheduleEveryMs' | 'minuteMs' | 'webhookSecrets' | 'say'>>;

/** The real stack, a person, a runner, an operator, and a thread host that can go away. */
export async function startWorld(
  assembly: string,
  log: (source: string, line: string) => void,
  stops: StopStack,
  more: WorldOptions = {},
) {
  const { host, door } = await startHost(stops);
  const threadHost = { url: door.url, key: RUNNER.api_key };
  const options = { port: 0, scheduleEveryMs: 500, threadHost, webhookSecrets: [SECRET], ...more };
  const stack = await deployLocally({ ...options, assembly, log });
  stops.add(() => stack.stop());
  const { addresses } = stack;
  host.deliverTo({ url: addresses.webhook_url, secret: SECRET });
  const { api, sqs } = runnerOf(stack, stops);
  const operator = sqsAs(addresses.aws.access_key_id, addresses, stops);
  const runnerQueueUrl = addresses.runner_queue_urls.default ?? '';
  const messages: RunnerMessage[] = [];

  async function receive(): Promise<void> {
    const command = new ReceiveMessageCommand({ QueueUrl: runnerQueueUrl, MaxNumberOfMessages: 10 });
    for (const { Body = '', ReceiptHandle } of (await sqs.send(command)).Messages ?? []) {
      messages.push(JSON.parse(Body));
      await sqs.send(new DeleteMessageCommand({ QueueUrl: runnerQueueUrl, ReceiptHandle }));
    }
  }
  async function itemsOf(thread: Thread): Promise<Item[]> {
    const response = await fetch(`${host.url}/page/items?${new URLSearchParams(thread)}`);
    return ((await response.json()) as { items: Item[] }).items;
  }

  return {
    stack,
    door,
    messages,
    webhookSecret: SECRET,
    apiKey: RUNNER.api_key,
    sign,
    api,
    runnerQueueUrl,
    operator,
    /** Posts as the person. */
    says: (thread: Thread, text: string, metadata?: Record<string, unknown>) =>
      postItem(host.url, USER.api_key, thread, { content: [{ type: 'text', text }], ...(metadata && { metadata }) }),
    /** Puts a question there that no table knows of. */
    plants: (thread: Thread, prompt: Record<string, unknown>) =>
      postItem(host.url, RUNNER.api_key, thread, {
        content: [{ type: 'text', text: 'planted' }],
        metadata: { type: 'pending_prompt', prompt },
      }),
    async heard(thread: Thread, type: RunnerMessage['type'], ms?: number): Promise<void> {
      const isIt = (message: RunnerMessage) => message.type === type && message.thread.session_id === thread.session_id;
      const heard = async () => {
        await receive();
        return messages.some(isIt);
      };
      await eventually(heard, `${type} of ${thread.session_id}`, ms);
    },
    itemsOf,
    /** Past the queue's own deduplication, which ends after five minutes. */
    async sendAgain(thread: Thread, item: Item | undefined): Promise<void> {
      const MessageBody = JSON.stringify({ thread, item_id: item?.id, item });
      const names = { MessageGroupId: threadGroup(thread), MessageDeduplicationId: crypto.randomUUID() };
      const QueueUrl = addresses.resolver_queue_url;
      await operator.send(new SendMessageCommand({ QueueUrl, MessageBody, ...names }));
    },
    async audited(thread: Thread, ms?: number): Promise<void> {
      const isAudit = (item: Item) => metadataField(item, 'type') === 'pending_prompt_resolved';
      await eventually(async () => (await itemsOf(thread)).some(isAudit), `the audit of ${thread.session_id}`, ms);
    },
    /** A webhook of an item that is not in it. */
    async announces(thread: Thread, item_id: string): Promise<void> {
      const type = 'session_thread_item_posted';
      const body = JSON.stringify({ id: 'evt_1', type, ...thread, item_id, created_at: 1 });
      const { status } = await fetch(addresses.webhook_url, { method: 'POST', headers: sign(body), body });
      if (status !== 202) throw new Error(`the webhook was answered ${status}`);
    },
  };
}
/** The headers of a webhook that the host would send now. */
function sign(body: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${webhookSignature(SECRET, 'msg_1', timestamp, body)}`,
  };
}
export type World = Awaited<ReturnType<typeof startWorld>>;

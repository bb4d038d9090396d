import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { threadGroup } from '#adapters/names.ts';
import type { Item } from '#core/item.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import { type Thread, threadName } from '#core/thread.ts';
import { deployLocally } from '../../infra/local/deploy.ts';
import type { HostPost } from '../../infra/local/host-post.ts';
import { closeServer, listenOnLoopback, readBody } from '../../infra/local/loopback-server.ts';
import type { StopStack } from '../../infra/local/stop-stack.ts';
import { startThreadHost } from '../../infra/local/thread-host/start.ts';
import { signedPost } from '../../runner/signed-fetch.ts';
import { eventually } from '../support/eventually.ts';

const SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
export const RUNNER = { user_id: 'usr_runner', api_key: 'k_runner' };
export const ANNA = { user_id: 'usr_anna', api_key: 'k_anna' };
export const BEN = { user_id: 'usr_ben', api_key: 'k_ben' };

/** What the host says in place of its own answer; `hangs_up` closes the connection. */
type Said = { status: number; body: string } | 'hangs_up';
type Options = {
  /** What the functions take for their key to the host. */
  key?: string;
  /** Answers in the host's place; `undefined` lets the request through. */
  says?: (path: string, body: string) => Said | undefined;
};

/**
 * The real stack on a thread host that sends no webhooks: what comes in is what a test delivers, byte by byte. A gate
 * before the host can answer in its place.
 */
export async function startQuietStack(
  assembly: string,
  log: (source: string, line: string) => void,
  stops: StopStack,
  { key = RUNNER.api_key, says }: Options = {},
) {
  const identity = { credentials: { accessKeyId: '', secretAccessKey: '' }, webhookSecret: SECRET, runner: RUNNER };
  const host = await startThreadHost({ port: 0, identity: { ...identity, users: [ANNA, BEN] }, log });
  stops.add(() => host.stop());
  const server = createServer(async (request, response) => {
    const body = String(await readBody(request, 4e6));
    const said = says?.(request.url ?? '', body);
    if (said === 'hangs_up') return response.destroy();
    if (said) return response.writeHead(said.status).end(said.body);
    const headers = { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' };
    const { method = 'GET' } = request;
    const answer = await fetch(new URL(request.url ?? '', host.url), { method, headers, ...(body && { body }) });
    return response.writeHead(answer.status).end(await answer.text());
  });
  const url = await listenOnLoopback(server, 0);
  stops.add(() => closeServer(server));
  const options = { port: 0, scheduleEveryMs: 500, webhookSecrets: [SECRET], threadHost: { url, key } };
  const say = (line: string) => log('terminal', line);
  const stack = await deployLocally({ ...options, assembly, log, say });
  stops.add(() => stack.stop());

  const { aws, runner_api_url, runner_queue_urls, resolver_queue_url, webhook_url } = stack.addresses;
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const operator = new SQSClient({ region: aws.region, endpoint: aws.sqs_endpoint, credentials });
  stops.add(() => operator.destroy());
  const post = signedPost({ region: aws.region, credentials: async () => credentials });
  const messages: RunnerMessage[] = [];

  /** All that the runner was told of a thread so far. */
  async function told(thread: Thread): Promise<RunnerMessage[]> {
    const QueueUrl = runner_queue_urls.default;
    const { Messages = [] } = await operator.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    for (const { Body = '', ReceiptHandle } of Messages) {
      messages.push(JSON.parse(Body));
      await operator.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    return messages.filter((message) => threadName(message.thread) === threadName(thread));
  }

  return {
    stack,
    operator,
    webhookSecret: SECRET,
    credentials,
    /** A call of the runner API, as the default runner. */
    call(thread: Thread, path: string, body?: unknown): Promise<Response> {
      const name = [thread.revision_id, thread.session_id, thread.alias].map(encodeURIComponent).join('/');
      return post(new URL(`v1/threads/${name}/${path}`, `${runner_api_url}/`), body);
    },
    /** Puts an item on the thread; nobody is told of it. */
    async posts(user: typeof ANNA, { revision_id, session_id, alias }: Thread, item: HostPost): Promise<Item> {
      const named = { engine: 'workflow_blobhub', command: 'post_session_thread_item', session_id, alias };
      const headers = { 'x-api-key': user.api_key, 'content-type': 'application/json' };
      const body = JSON.stringify({ ...named, ...item });
      const address = new URL(`v1/revisions/${encodeURIComponent(revision_id)}/data`, host.url);
      const answer = await fetch(address, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`the host refused the item: HTTP ${answer.status}`);
      return ((await answer.json()) as { item: Item }).item;
    },
    async itemsOf(thread: Thread): Promise<Item[]> {
      const answer = await fetch(`${host.url}/page/items?${new URLSearchParams(thread)}`);
      return ((await answer.json()) as { items: Item[] }).items;
    },
    /** A webhook, signed once: whoever calls the result sends the very same bytes and headers. */
    recorded(body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}): () => Promise<Response> {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.`).update(body).digest('base64');
      const signed = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
      return () => fetch(webhook_url, { method: 'POST', body, headers: { ...signed, ...more } });
    },
    /** Past ingest, and past the queue's own deduplication, which ends after five minutes. */
    async enqueues(thread: Thread, MessageBody: string): Promise<void> {
      const names = { MessageGroupId: threadGroup(thread), MessageDeduplicationId: crypto.randomUUID() };
      await operator.send(new SendMessageCommand({ QueueUrl: resolver_queue_url, MessageBody, ...names }));
    },
    told,
    heard(thread: Thread, type: RunnerMessage['type'], ms?: number): Promise<RunnerMessage> {
      const first = async () => (await told(thread)).find((message) => message.type === type);
      return eventually(first, `${type} of ${thread.session_id}`, ms);
    },
  };
}
export type QuietStack = Awaited<ReturnType<typeof startQuietStack>>;

/** The session event of an item, as the host would send it. */
export function eventOf(thread: Thread, item: Item, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    id: 'evt_1',
    type: 'session_thread_item_posted',
    ...thread,
    item_id: item.id,
    created_at: 1_790_000_000_000,
    item,
    ...more,
  });
}

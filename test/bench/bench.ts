import { createHmac } from 'node:crypto';
import { cpus } from 'node:os';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Thread, threadName } from '#core/thread.ts';
import { deployLocally } from '../../infra/local/deploy.ts';
import { synthesize } from '../../infra/local/synth.ts';
import { type RunnerApi, runnerApi } from '../../runner/runner-api.ts';
import { followRunnerQueue } from '../../runner/runner-queue.ts';

/**
 * `npm run bench`: on the local stack, warm, how long from the webhook's 202 until the answer is at the agent runner, and
 * how many answers a second with 16 threads at work. Everything shares this machine: both emulators, the thread host,
 * the functions and the measuring itself.
 */
const WARM_UP = 20;
const ONE_BY_ONE = 200;
const TOGETHER = 480;
const AT_ONCE = 16;

const stopping = new AbortController();
console.log('building and starting the local stack');
const assembly = await synthesize(stopping.signal);
const stack = await deployLocally({ assembly: assembly.folder, port: 0, scheduleEveryMs: 5000, log: () => {} });
const { aws, runner_api_url, runner_queue_urls, webhook_url, webhook_secret } = stack.addresses;
const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
const api: RunnerApi = runnerApi(runner_api_url, { region: aws.region, credentials: async () => credentials });
const sqs = new SQSClient({ region: aws.region, endpoint: aws.sqs_endpoint, credentials });
const waiting = new Map<string, () => void>();
const following = followRunnerQueue(
  sqs,
  runner_queue_urls.default ?? '',
  async (message) => waiting.get(threadName(message.thread))?.(),
  stopping.signal,
);

try {
  await raiseAndAnswer(WARM_UP);
  report(`${ONE_BY_ONE} answers one by one, from the webhook's 202 to the runner`, await raiseAndAnswer(ONE_BY_ONE));
  const prompts = await raiseAll(TOGETHER);
  const began = performance.now();
  const times: number[] = [];
  const next = prompts.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const thread of next) times.push(await answer(thread));
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  report(`${TOGETHER} answers, ${AT_ONCE} at once`, times);
  console.log(`${(TOGETHER / seconds).toFixed(0)} answers/s`);
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${new Date().toISOString().slice(0, 10)}`,
  );
} finally {
  stopping.abort();
  await following;
  sqs.destroy();
  await stack.stop();
  assembly.remove();
}

async function raiseAndAnswer(count: number): Promise<number[]> {
  const times: number[] = [];
  for (const thread of await raiseAll(count)) times.push(await answer(thread));
  return times;
}

async function raiseAll(count: number): Promise<Thread[]> {
  const threads: Thread[] = [];
  for (let n = 0; n < count; n++) {
    const thread = { revision_id: 'rev_bench', session_id: crypto.randomUUID(), alias: 'main' };
    const options = [{ label: 'Approve' }, { label: 'Deny' }];
    await api.raise(thread, { request_id: 'call', kind: 'approval', questions: [{ question: 'Run it?', options }] });
    threads.push(thread);
  }
  return threads;
}

/** @returns milliseconds from the webhook's 202 until the runner has the answer */
async function answer(thread: Thread): Promise<number> {
  const heard = new Promise<void>((resolve) => waiting.set(threadName(thread), resolve));
  const id = `itm_${crypto.randomUUID()}`;
  const created_at = new Date(Date.now() + 60_000).toISOString();
  const item = { id, ...thread, created_at, user_id: 'usr_bench', content: [{ type: 'text', text: 'yes' }] };
  const body = JSON.stringify({ id: 'evt', type: 'session_thread_item_posted', ...thread, item_id: id, item });
  const response = await fetch(webhook_url, { method: 'POST', headers: signed(body), body });
  if (response.status !== 202) throw new Error(`the webhook answered ${response.status}`);
  const accepted = performance.now();
  await heard;
  return performance.now() - accepted;
}

function signed(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(webhook_secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`msg.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': 'msg',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

function report(what: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`);
}

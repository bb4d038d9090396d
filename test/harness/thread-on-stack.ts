import { SQSClient } from '@aws-sdk/client-sqs';
import type { Item } from '../../functions/core/item.ts';
import type { Answer, Question } from '../../functions/core/prompt.ts';
import type { RunnerMessage } from '../../functions/core/runner-message.ts';
import type { Thread } from '../../functions/core/thread.ts';
import type { Addresses } from '../../infra/local/addresses.ts';
import { postItem } from '../../infra/local/host-post.ts';
import type { Ask, Outcome } from '../../runner/ask.ts';
import { type PromptNow, type RunnerApi, runnerApi } from '../../runner/runner-api.ts';
import { followRunnerQueue } from '../../runner/runner-queue.ts';
import { eventually } from '../support/eventually.ts';

export function newThread(): Thread {
  return { revision_id: 'rev_1', session_id: `ses_${crypto.randomUUID()}`, alias: 'main' };
}

export type OnThread = { prompt: { prompt_id: string; questions: Question[] }; text: string };

/** The thread as a person has it: what is asked there, and how to reply. */
export function person(addresses: Addresses, thread: Thread) {
  async function items(): Promise<Item[]> {
    const response = await fetch(new URL(`page/items?${new URLSearchParams(thread)}`, addresses.surface_url));
    return ((await response.json()) as { items: Item[] }).items;
  }
  const ofType = async (type: string) =>
    (await items()).filter(({ metadata }) => (metadata as { type?: string } | undefined)?.type === type);
  return {
    items,
    /** The n-th question of the thread, from 0. */
    async question(n = 0): Promise<OnThread> {
      const item = await eventually(
        async () => (await ofType('pending_prompt'))[n],
        `question ${n} on the thread`,
        30_000,
      );
      const { prompt } = item.metadata as { prompt: OnThread['prompt'] };
      return { prompt, text: String(item.content[0]?.text) };
    },
    /** How the n-th prompt ended, as the thread shows it. */
    async audit(n = 0): Promise<string> {
      const what = `the audit item of prompt ${n}`;
      const item = await eventually(async () => (await ofType('pending_prompt_resolved'))[n], what, 30_000);
      return String(item.content[0]?.text);
    },
    async reply(text: string, answers?: Answer[]): Promise<void> {
      const { url, users } = addresses.thread_host;
      const metadata = answers && { answers };
      await postItem(url, users?.[0]?.api_key ?? '', thread, {
        content: [{ type: 'text', text }],
        ...(metadata && { metadata }),
      });
    },
  };
}

/** An `Ask` on the stack for one run; `stop` is the end of its process, not of its prompts. */
export function askOnStack(
  addresses: Addresses,
  thread: Thread,
): { ask: Ask; api: RunnerApi; stop: () => Promise<void> } {
  const { aws, runner_api_url, runner_queue_urls } = addresses;
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const api = runnerApi(runner_api_url, { region: aws.region, credentials: async () => credentials });
  const sqs = new SQSClient({ region: aws.region, credentials, endpoint: aws.sqs_endpoint });
  const stopping = new AbortController();
  const waiting = new Map<string, (message: RunnerMessage) => void>();
  const hear = async (message: RunnerMessage) => {
    if (message.type !== 'next_turn') waiting.get(message.request_id)?.(message);
  };
  const following = followRunnerQueue(sqs, runner_queue_urls.default ?? '', hear, stopping.signal);
  let last: Promise<unknown> = Promise.resolve();

  const askNow: Ask = async (asking, signal, park) => {
    if (signal?.aborted) return { state: 'cancelled', reason: 'the run ended' };
    try {
      const told = new Promise<RunnerMessage>((resolve) => waiting.set(asking.request_id, resolve));
      const { prompt } = await api.raise(thread, asking);
      const unheard = async () =>
        (await api.attach(thread)).unacknowledged.find((message) => namesRequest(message, asking.request_id));
      const settled = prompt.prompt_state === 'pending' ? told : unheard().then((message) => message ?? told);
      const ended = once(signal).then(() => api.cancel(thread, prompt.prompt_id, 'the run ended'));
      const winner = await Promise.race([settled, ended, once(park)]);
      if (winner === undefined) return { state: 'parked' };
      await api.ack(thread, prompt.prompt_id);
      return 'type' in winner ? outcomeOf(winner) : outcomeOf({ type: 'cancelled', prompt: winner } as never);
    } catch (error) {
      return { state: 'unavailable', message: error instanceof Error ? error.message : String(error) };
    }
  };
  return {
    api,
    ask: (asking, signal, park) => {
      const mine = last.then(() => askNow(asking, signal, park));
      last = mine;
      return mine;
    },
    stop: async () => {
      stopping.abort();
      await following;
      sqs.destroy();
    },
  };
}

function namesRequest(message: RunnerMessage, request_id: string): boolean {
  return message.type !== 'next_turn' && message.request_id === request_id;
}

function outcomeOf(message: RunnerMessage): Outcome {
  if (message.type === 'prompt_answered')
    return { state: 'answered', answers: message.prompt.answers, item: message.item };
  const { reason } = (message as { prompt: Partial<PromptNow> }).prompt;
  return { state: 'cancelled', reason: reason ?? 'it was settled otherwise' };
}

function once(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

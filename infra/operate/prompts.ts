import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { promptStore } from '#adapters/prompt-store.ts';
import type { PromptStore, WorkList } from '#core/ports.ts';
import type { ActivePrompt, UnfinishedPrompt } from '#core/prompt.ts';
import { isPromptId, requestKeyOf } from '#core/prompt-id.ts';
import type { Thread } from '#core/thread.ts';
import type { Deployment } from './deployment.ts';
import { OperatorError } from './deployment.ts';

/** More than anybody reads; the gauges tell how many there are. */
const LIST_LIMIT = 200;

export type Listed = {
  prompt_id: string;
  state: string;
  kind: string;
  thread: Thread;
  runner: string;
  /** Milliseconds since it was raised or, once settled, since it was settled. */
  ageMs: number;
  /** What is still to be done, in words. */
  owed: string;
};

const storeOf = ({ dynamodb, tableName }: Deployment): PromptStore => promptStore(dynamodb, tableName, Date.now);

/** Prompts of one list of the index, the oldest first. */
export async function listPrompts(deployment: Deployment, list: WorkList, now = Date.now()): Promise<Listed[]> {
  const store = storeOf(deployment);
  const listed: Listed[] = [];
  for (const thread of await threadsOf(deployment, list)) {
    if (list === 'unacknowledged') {
      const past = await store.unacknowledged(thread);
      listed.push(...past.map((prompt) => describe(thread, prompt, now, undefined)));
      continue;
    }
    const { slot } = await store.read(thread);
    const prompts = list === 'open' ? (slot.active ? [slot.active] : []) : slot.outbox;
    listed.push(...prompts.map((prompt) => describe(thread, prompt, now, slot.runner)));
  }
  return listed;
}

async function threadsOf({ dynamodb, tableName }: Deployment, list: WorkList): Promise<Thread[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: 'work',
      KeyConditionExpression: '#work = :list',
      ExpressionAttributeNames: { '#work': 'work' },
      ExpressionAttributeValues: { ':list': { S: list } },
      Limit: LIST_LIMIT,
    }),
  );
  const names = Items.flatMap(({ thread }) => (thread?.S === undefined ? [] : [thread.S]));
  return [...new Set(names)].map((name) => JSON.parse(name) as Thread);
}

function describe(thread: Thread, prompt: ActivePrompt | UnfinishedPrompt, now: number, runner = 'default'): Listed {
  const { prompt_id, state, kind } = prompt;
  const since = 'settled_at' in prompt ? prompt.settled_at : prompt.raised_at;
  return { prompt_id, state, kind, thread, runner, ageMs: now - since, owed: owedBy(prompt) };
}

function owedBy(prompt: ActivePrompt | UnfinishedPrompt): string {
  if (prompt.state === 'open') return 'an answer';
  if (prompt.state === 'posting') return 'its question on the thread';
  if (prompt.state === 'withdrawn') return 'a look whether it landed late';
  if (prompt.notified_at === undefined) return 'word to its runner';
  return prompt.acked_at === undefined ? 'an acknowledgement, perhaps the audit item' : 'the audit item';
}

export type Found = { thread: Thread; prompt: ActivePrompt | UnfinishedPrompt; runner: string | undefined };

/**
 * A prompt by its id. Finished and acknowledged ones are in no list: then the thread must be named.
 * @throws OperatorError
 */
export async function findPrompt(deployment: Deployment, prompt_id: string, thread?: Thread): Promise<Found> {
  if (!isPromptId(prompt_id)) throw new OperatorError(`"${prompt_id}" is no prompt id: it begins with prm_.`);
  const store = storeOf(deployment);
  const lists: WorkList[] = ['open', 'unfinished', 'unacknowledged'];
  const threads = thread ? [thread] : (await Promise.all(lists.map((list) => threadsOf(deployment, list)))).flat();
  for (const candidate of threads) {
    const { slot, past } = await store.read(candidate, { requestKey: requestKeyOf(prompt_id) });
    const prompt = [slot.active, ...slot.outbox, past].find((known) => known?.prompt_id === prompt_id);
    if (prompt) return { thread: candidate, prompt, runner: slot.runner };
  }
  const where = thread ? 'on this thread' : 'among what is open or owed: name its thread with --thread';
  throw new OperatorError(`The prompt ${prompt_id} is not ${where}.`);
}

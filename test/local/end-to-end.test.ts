import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Item } from '#core/item.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import { deployLocally, type LocalStack } from '../../infra/local/deploy.ts';
import { postItem } from '../../infra/local/host-post.ts';
import { type RunnerApi, runnerApi } from '../../runner/runner-api.ts';
import { followRunnerQueue } from '../../runner/runner-queue.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';

/** The real template, the real bundles, both emulators and the stand-in host: a reply's whole way, and nothing faked. */
const thread = { revision_id: 'rev_1', session_id: 'ses_1', alias: 'main' };
const stopping = new AbortController();
const messages: RunnerMessage[] = [];
const lines: string[] = [];
let stack: LocalStack;
let api: RunnerApi;
let clients: { sqs: SQSClient; dynamodb: DynamoDBClient };
let following: Promise<void>;

beforeAll(async () => {
  const log = (_source: string, line: string) => lines.push(line);
  stack = await deployLocally({ assembly: await assembly(), port: 0, scheduleEveryMs: 1000, log });
  const { aws, runner_api_url, runner_queue_urls } = stack.addresses;
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const client = { region: aws.region, credentials };
  api = runnerApi(runner_api_url, { region: aws.region, credentials: async () => credentials });
  clients = {
    sqs: new SQSClient({ ...client, endpoint: aws.sqs_endpoint }),
    dynamodb: new DynamoDBClient({ ...client, endpoint: aws.dynamodb_endpoint }),
  };
  const hear = async (message: RunnerMessage) => void messages.push(message);
  following = followRunnerQueue(clients.sqs, runner_queue_urls.default ?? '', hear, stopping.signal);
}, 90_000);
afterAll(async () => {
  stopping.abort();
  await following;
  clients.sqs.destroy();
  clients.dynamodb.destroy();
  await stack.stop();
});

async function itemsOnThread(): Promise<Item[]> {
  const query = new URLSearchParams(thread);
  const response = await fetch(new URL(`page/items?${query}`, stack.addresses.surface_url));
  return ((await response.json()) as { items: Item[] }).items;
}

it('takes a reply from the webhook over queue, decision and runner to the audit item', async () => {
  const options = [{ label: 'staging' }, { label: 'production' }];
  const questions = [{ question: 'What is the deployment target?', options }];
  const raised = await api.raise(thread, {
    request_id: 'call_1',
    kind: 'ask_user_question',
    questions,
    session: { n: 1 },
  });
  const { prompt_id } = raised.prompt;

  const { url, users } = stack.addresses.thread_host;
  const [anna] = users ?? [];
  await postItem(url, anna?.api_key ?? '', thread, { content: [{ type: 'text', text: 'PRODUCTION' }] });
  const outcome = await eventually(() => messages[0], 'the outcome at the runner');
  expect(outcome).toMatchObject({
    message_id: `${prompt_id}.answered`,
    type: 'prompt_answered',
    thread,
    request_id: 'call_1',
    session: { n: 1 },
    prompt: { prompt_state: 'answered', answers: [{ question: questions[0]?.question, answer: ['production'] }] },
    item: { user_id: anna?.user_id },
  });

  const audit = await eventually(async () => (await itemsOnThread())[2], 'the audit item');
  expect(audit).toMatchObject({
    content: [{ type: 'text', text: '✓ Answered: production' }],
    metadata: { type: 'pending_prompt_resolved', prompt: { prompt_id, prompt_state: 'answered' } },
  });
  await api.ack(thread, prompt_id);
  expect(await api.attach(thread)).toEqual({ open: null, unacknowledged: [] });
  const { Items = [] } = await clients.dynamodb.send(new ScanCommand({ TableName: stack.addresses.table_name }));
  expect(Items.filter(({ work }) => work)).toEqual([]);
  expect(lines.filter((line) => line.includes('PRODUCTION') || line.includes('deployment target'))).toEqual([]);
});

it('tells the one who cancels too late what won, and passes the second reply on as a next turn', async () => {
  const options = [{ label: 'Approve' }, { label: 'Deny' }];
  const questions = [{ question: 'Run `make deploy`?', options }];
  const { prompt } = await api.raise(thread, { request_id: 'call_2', kind: 'approval', questions });
  const { url, users } = stack.addresses.thread_host;
  const [anna, ben] = users ?? [];
  await postItem(url, anna?.api_key ?? '', thread, { content: [{ type: 'text', text: 'not now' }] });
  await postItem(url, ben?.api_key ?? '', thread, { content: [{ type: 'text', text: 'yes' }] });
  const turn = await eventually(() => messages.find(({ type }) => type === 'next_turn'), 'the next turn');
  expect(turn).toMatchObject({ item: { user_id: ben?.user_id } });
  expect(await api.cancel(thread, prompt.prompt_id, 'the run ended')).toMatchObject({
    prompt_state: 'answered',
    answers: [{ answer: ['Deny'] }],
  });
});

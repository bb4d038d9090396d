import { createHmac, randomUUID } from 'node:crypto';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { threadHost } from '#adapters/thread-host.ts';
import { webhookSecrets } from '#adapters/webhook-signature.ts';
import { runnerApi } from '../../runner/runner-api.ts';
import type { Deployment } from './deployment.ts';

export type Finding = { what: string; ok: boolean; why: string };
type Check = [what: string, check: () => Promise<string>];

/** A resolver may take 30 s, and AWS asks for six times that. */
const VISIBILITY_SECONDS = 180;
/** An event of a kind that nobody sends, so that the signed probe changes and answers nothing. */
const PROBE = JSON.stringify({ type: 'interactive_prompts_doctor' });

/** Looks at every part that an answer passes on its way; each check says what it saw, or what is wrong and what to do. */
export async function examine(deployment: Deployment): Promise<Finding[]> {
  return Promise.all(
    checksOf(deployment).map(async ([what, check]) => {
      try {
        return { what, ok: true, why: await check() };
      } catch (error) {
        return { what, ok: false, why: error instanceof Wrong ? error.message : (error as Error).name };
      }
    }),
  );
}

/** Our own sentences; of foreign errors only the name is shown, which holds no secret. */
class Wrong extends Error {}
function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Wrong(otherwise);
}

function checksOf(deployment: Deployment): Check[] {
  const { dynamodb, tableName, resolverQueueUrl, resolverDlqUrl, runnerQueueUrls } = deployment;
  const runners = Object.entries(runnerQueueUrls);
  return [
    ['webhook secrets', () => checkSecrets(deployment)],
    ['thread host', () => checkHost(deployment)],
    [
      'table',
      async () => {
        const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
        demand(
          Table?.TableStatus === 'ACTIVE',
          `The table is ${Table?.TableStatus ?? 'not there'}: wait, or restore it.`,
        );
        const hasIndex = Table.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === 'work');
        demand(hasIndex === true, 'The table has no index "work": deploy this version.');
        return tableName;
      },
    ],
    ['queue of thread items', () => checkQueue(deployment, resolverQueueUrl, VISIBILITY_SECONDS)],
    ['its dead letters', () => checkEmpty(deployment, resolverDlqUrl)],
    ...runners.map(([name, url]): Check => [`queue of the runner "${name}"`, () => checkQueue(deployment, url, 1)]),
    ['webhook, signed', () => probe(deployment, true, 200, 'The secret here is not the one that ingest has.')],
    ['webhook, unsigned', () => probe(deployment, false, 401, 'A webhook without a signature was let in.')],
    ['runner API', () => checkRunnerApi(deployment)],
  ];
}

async function checkSecrets({ webhookSecrets: read }: Deployment): Promise<string> {
  const text = await read();
  try {
    const { length } = webhookSecrets(text);
    return `${length} ${length === 1 ? 'secret' : 'secrets'} of the right shape`;
  } catch {
    throw new Wrong('The webhook secret is no JSON list of "whsec_…" (24 to 64 bytes each): put ["whsec_…"] there.');
  }
}

async function checkHost({ threadHostUrl, threadHostKey }: Deployment): Promise<string> {
  const key = await threadHostKey();
  demand(/^[\x21-\x7e]+$/.test(key), 'The thread-host key is empty or has spaces: put the bare API key there.');
  const host = threadHost(threadHostUrl, { read: async () => key, readAgain: async () => key });
  const user = await host.ownUserId().catch((error) => {
    throw new Wrong(
      `${threadHostUrl} does not tell whose key this is (${(error as Error).message}): check URL and key.`,
    );
  });
  return `posts as ${user}`;
}

async function checkQueue({ sqs }: Deployment, QueueUrl: string, visibilitySeconds: number): Promise<string> {
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  demand(Attributes.FifoQueue === 'true', 'The queue is not FIFO, so replies of a thread could change their order.');
  demand(
    Number(Attributes.VisibilityTimeout) >= visibilitySeconds,
    `Its visibility time-out is under ${visibilitySeconds} s: deploy again.`,
  );
  demand(Attributes.RedrivePolicy !== undefined, 'It has no dead-letter queue: deploy again.');
  return `${Attributes.ApproximateNumberOfMessages ?? 0} waiting`;
}

async function checkEmpty({ sqs }: Deployment, QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  const dead = Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  demand(
    dead === 0,
    `${dead} dead: find out why (infra/runbook.md, "ThreadItemsDeadLetters"), then npm run prompts -- redrive.`,
  );
  return 'none';
}

async function probe(
  { webhookUrl, webhookSecrets: read }: Deployment,
  isSigned: boolean,
  expected: number,
  otherwise: string,
) {
  const headers = isSigned ? signed(webhookSecrets(await read())[0] as Buffer) : {};
  const response = await fetch(webhookUrl, {
    method: 'POST',
    body: PROBE,
    headers: { 'content-type': 'application/json', ...headers },
  });
  demand(response.status === expected, `${webhookUrl} answered ${response.status}, not ${expected}. ${otherwise}`);
  return `answered ${expected}, as it must`;
}

function signed(secret: Buffer): Record<string, string> {
  const id = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${PROBE}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** An acknowledgement of a prompt that is nowhere: 404 says that gateway, function and table answer. */
async function checkRunnerApi({ runnerApiUrl, identity }: Deployment): Promise<string> {
  const nowhere = { revision_id: 'doctor', session_id: 'doctor', alias: 'doctor' };
  const call = runnerApi(runnerApiUrl, identity).ack(nowhere, 'prm_00000000000000000000000000');
  const status = await call.then(
    () => 204,
    (error: { status?: number }) => error.status,
  );
  demand(
    status !== 403,
    'Your AWS identity may not call the runner API (403): take on a runner role, see RunnerRoleArns.',
  );
  demand(status === 404, `${runnerApiUrl} answered ${status ?? 'nothing'}, not 404, for a prompt that is nowhere.`);
  return 'answers';
}

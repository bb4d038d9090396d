import path from 'node:path';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, expect, it } from 'vitest';
import type { Thread } from '#core/thread.ts';
import { deployLocally } from '../../infra/local/deploy.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { assembly, changedAssembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import { runnerOf, startWorld, type World } from './world.ts';

const APPROVAL = [{ question: 'Deploy?', options: [{ label: 'Approve' }, { label: 'Deny' }] }];
/** A claim must run out, and a post of unknown outcome have landed, before the reconciler goes on. */
const RECOVERY_MS = 40_000;

const lines: string[] = [];
const log = (source: string, line: string) => lines.push(`${source} ${line}`);
const stops = new StopStack();

afterEach(async () => {
  await stops.stopAll();
  lines.length = 0;
});

const threadOf = (session_id: string): Thread => ({ revision_id: 'rev', session_id, alias: 'main' });
const approval = (request_id: string) => ({ request_id, kind: 'approval' as const, questions: APPROVAL });
const logged = (text: string) => eventually(() => lines.some((line) => line.includes(text)), text);

/** @returns acknowledges the outcome */
async function answers({ api, says, heard }: World): Promise<() => Promise<void>> {
  const thread = threadOf('answered');
  const { prompt } = await api.raise(thread, approval('r'));
  await says(thread, 'yes');
  await heard(thread, 'prompt_answered');
  await api.attach(thread);
  return () => api.ack(thread, prompt.prompt_id);
}

async function supersedes({ api, heard, audited }: World): Promise<void> {
  const thread = threadOf('superseded');
  await api.raise(thread, approval('r1'));
  await api.raise(thread, approval('r2'));
  await heard(thread, 'prompt_cancelled');
  await audited(thread);
}

async function adopts({ api, plants, says, heard }: World): Promise<void> {
  const thread = threadOf('adopted');
  const prompt_id = 'prm_01J00000000000000000000000';
  await plants(thread, { prompt_id, prompt_state: 'pending', ...approval('r') });
  await says(thread, 'yes');
  await heard(thread, 'next_turn');
  expect((await api.attach(thread)).open).toMatchObject({ prompt_id });
}

/** A host that is down: the queue backs off, and the audit item that a cancel owes is left to the reconciler. */
async function outlivesAnOutage({ api, door, announces }: World): Promise<Thread> {
  const thread = threadOf('outage');
  const { prompt } = await api.raise(thread, approval('r'));
  door.isShut = true;
  await announces(threadOf('unread'), 'itm_unread');
  await api.cancel(thread, prompt.prompt_id, 'the run ended');
  await logged('item_retried');
  door.isShut = false;
  return thread;
}

/** The runner cannot be told before the cancel's own claim has run out: then the reconciler does it. */
async function losesTheRunnerQueue({ api, operator, runnerQueueUrl: QueueUrl }: World): Promise<Thread> {
  const thread = threadOf('untold');
  const { prompt } = await api.raise(thread, approval('r'));
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['FifoQueue', 'VisibilityTimeout'] });
  const { Attributes = {} } = await operator.send(read);
  await operator.send(new DeleteQueueCommand({ QueueUrl }));
  await api.cancel(thread, prompt.prompt_id, 'the run ended');
  await operator.send(new CreateQueueCommand({ QueueName: path.basename(QueueUrl), Attributes }));
  return thread;
}

async function parks({ operator, stack }: World): Promise<void> {
  const QueueUrl = stack.addresses.resolver_queue_url;
  const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
  await operator.send(new SendMessageCommand({ QueueUrl, MessageBody: '{', ...ids }));
  await logged('item_parked');
}

it('every grant of every function is needed by something, and every call is granted', { timeout: 90_000 }, async () => {
  const world = await startWorld(await assembly(), log, stops);
  const acknowledge = await answers(world);
  const untold = await losesTheRunnerQueue(world);
  await supersedes(world);
  await adopts(world);
  const unaudited = await outlivesAnOutage(world);
  await parks(world);
  await world.heard(untold, 'prompt_cancelled', RECOVERY_MS);
  await world.audited(unaudited, RECOVERY_MS);
  const unused = () => world.stack.unusedGrants();
  await eventually(
    async () => {
      // Too early it would be noted in the slot and not in the history.
      await acknowledge();
      return unused().length === 0;
    },
    () => `every grant used; unused are: ${unused().join(', ')}`,
  );
  expect(lines.filter((line) => line.includes('AccessDenied'))).toEqual([]);
});

it('without a grant its call fails as on AWS, and the log says which', async () => {
  const folder = await withoutGrant('RunnerApi', 'dynamodb:PutItem');
  const stack = await deployLocally({ assembly: folder, port: 0, scheduleEveryMs: 60_000, log });
  stops.add(() => stack.stop());
  const raised = runnerOf(stack, stops).api.raise(threadOf('denied'), approval('r'));
  await expect(raised).rejects.toMatchObject({ status: 500 });
  expect(lines.find((line) => line.includes(' AccessDenied: '))).toMatch(
    /^RunnerApiFunction\w+ AccessDenied: User: arn:aws:sts::\d+:assumed-role\/RunnerApiRole\w+\/RunnerApiFunction\w+ is not authorized to perform: dynamodb:PutItem on resource: \S+:table\/\w+ because no identity-based policy/,
  );
  await logged('AccessDeniedException');
});

type PolicyResource = { Type: string; Properties: { PolicyDocument: { Statement: { Action: string | string[] }[] } } };

/** The stack in which the policy of the role that begins with `role` does not grant `action`. */
function withoutGrant(role: string, action: string): Promise<string> {
  return changedAssembly((json) => {
    const template = JSON.parse(json);
    for (const [id, { Type, Properties }] of Object.entries<PolicyResource>(template.Resources)) {
      if (Type !== 'AWS::IAM::Policy' || !id.startsWith(role)) continue;
      for (const statement of Properties.PolicyDocument.Statement) {
        statement.Action = [statement.Action].flat().filter((one) => one !== action);
      }
    }
    return JSON.stringify(template);
  });
}

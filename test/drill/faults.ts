import {
  ChangeMessageVisibilityCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import type { Thread } from '#core/thread.ts';
import type { World, WorldOptions } from '../local/world.ts';
import type { Deployment } from './broken-deployments.ts';
import { setBack } from './set-back.ts';

/** Something that goes wrong on a stack of its own, and the alarms that must then fire. */
export type Fault = {
  /** As the table says it. */
  what: string;
  /** Without the stack's name before them. */
  alarms: string[];
  options?: WorldOptions;
  /** Instead of the stack as it is. */
  deployment?: Deployment;
  /** Brings the fault about, and keeps it up until it is told to stop. */
  bring(world: World, again: Again): Promise<void>;
};
/** Waits a moment, and says whether to go on. */
export type Again = (pauseMs: number) => Promise<boolean>;

const DAY_MS = 24 * 60 * 60_000;
const APPROVAL = [{ question: 'May I?', options: [{ label: 'Approve' }, { label: 'Deny' }] }];

const newThread = (): Thread => ({ revision_id: 'rev', session_id: `ses_${crypto.randomUUID()}`, alias: 'main' });

async function asks(world: World, thread: Thread): Promise<string> {
  return (await world.api.raise(thread, { request_id: 'call', kind: 'approval', questions: APPROVAL })).prompt
    .prompt_id;
}
async function asksAndIsAnswered(world: World, thread: Thread): Promise<void> {
  await asks(world, thread);
  await world.says(thread, 'yes');
}

/** What nobody may see fail the drill: here calls are made that cannot succeed. */
const fruitless = (call: Promise<unknown>): Promise<unknown> => call.catch(() => {});

function webhook({ stack, sign }: World, signed: boolean): Promise<unknown> {
  const type = 'session_thread_item_posted';
  const body = JSON.stringify({ id: 'evt', type, ...newThread(), item_id: crypto.randomUUID(), created_at: 1 });
  const headers = signed ? sign(body) : { 'content-type': 'application/json' };
  return fruitless(fetch(stack.addresses.webhook_url, { method: 'POST', headers, body }));
}

function sends({ operator }: World, QueueUrl: string, MessageBody: string): Promise<unknown> {
  const [MessageGroupId, MessageDeduplicationId] = [crypto.randomUUID(), crypto.randomUUID()];
  return operator.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId, MessageDeduplicationId }));
}

/** Dead letters after one receive: a thousand, as they are, take more than a day. */
async function losePatience({ operator }: World, QueueUrl: string): Promise<void> {
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] });
  const policy = JSON.parse((await operator.send(read)).Attributes?.RedrivePolicy ?? '');
  const RedrivePolicy = JSON.stringify({ ...policy, maxReceiveCount: 1 });
  await operator.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }));
}

export const FAULTS: Fault[] = [
  {
    what: 'the thread host is down: people have written, agents ask',
    alarms: ['OwnUserUnknown', 'QuestionsUnavailable', 'ThreadItemsWaiting', 'AnswersDoNotReachAgents'],
    options: { minuteMs: 2000 },
    async bring(world, again) {
      world.door.isShut = true;
      do {
        const thread = newThread();
        await world.says(thread, 'yes');
        // Such a call takes some ten seconds: it looks whether the host took its question after all.
        void fruitless(asks(world, thread));
      } while (await again(1000));
    },
  },
  {
    what: 'the thread host is down, and a reply is received more often than the queue allows',
    alarms: ['ThreadItemsDeadLetters'],
    async bring(world) {
      await losePatience(world, world.stack.addresses.resolver_queue_url);
      world.door.isShut = true;
      await world.says(newThread(), 'yes');
    },
  },
  {
    what: 'a runner receives a message over and over and does not delete it',
    alarms: ['Runner-default-DeadLetters'],
    async bring(world, again) {
      const QueueUrl = world.runnerQueueUrl;
      await losePatience(world, QueueUrl);
      await world.says(newThread(), 'a next turn');
      do {
        const { Messages } = await world.operator.send(new ReceiveMessageCommand({ QueueUrl }));
        const ReceiptHandle = Messages?.[0]?.ReceiptHandle;
        if (!ReceiptHandle) continue;
        await world.operator.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        );
      } while (await again(200));
    },
  },
  {
    what: 'the runner is dead: nobody reads its queue',
    alarms: ['Runner-default-Waiting'],
    bring: (world) => asksAndIsAnswered(world, newThread()),
  },
  {
    what: 'the agent is dead: it acknowledges nothing for two days (dates in the table set back)',
    alarms: ['OutcomesUnacknowledged'],
    async bring(world, again) {
      await asksAndIsAnswered(world, newThread());
      while ((await setBack(world, 'unacknowledged', 2 * DAY_MS)) === 0 && (await again(200)));
    },
  },
  {
    what: 'nobody answers for eight days (dates in the table set back)',
    alarms: ['QuestionOpenForAWeek'],
    async bring(world) {
      await asks(world, newThread());
      await setBack(world, 'open', 8 * DAY_MS);
    },
  },
  {
    what: 'the thread host can be read, but takes no items',
    alarms: ['AuditItemsOwed'],
    async bring(world) {
      const thread = newThread();
      await asks(world, thread);
      world.door.takesNoPosts = true;
      await world.says(thread, 'yes');
    },
  },
  {
    what: "the runner's queue is gone: an answer cannot go there",
    alarms: ['AnswersNotDelivered'],
    async bring(world) {
      await world.operator.send(new DeleteQueueCommand({ QueueUrl: world.runnerQueueUrl }));
      await asksAndIsAnswered(world, newThread());
    },
  },
  {
    what: "the runner's queue is gone: that a question was cancelled cannot go there",
    alarms: ['AnswersNotDelivered'],
    async bring(world) {
      const thread = newThread();
      const prompt_id = await asks(world, thread);
      await world.operator.send(new DeleteQueueCommand({ QueueUrl: world.runnerQueueUrl }));
      await world.api.cancel(thread, prompt_id, 'the run ended');
    },
  },
  {
    what: 'somebody makes webhooks up',
    alarms: ['WebhooksNotSigned'],
    async bring(world, again) {
      do await Promise.all([webhook(world, false), webhook(world, false), webhook(world, false)]);
      while (await again(200));
    },
  },
  {
    what: 'what stands for the webhook secret is no secret',
    alarms: ['WebhookSecretsUnusable'],
    options: { webhookSecrets: ['nonsense'] },
    async bring(world, again) {
      do await webhook(world, true);
      while (await again(300));
    },
  },
  {
    what: "the resolver's queue is gone",
    alarms: ['ItemsNotQueued'],
    async bring(world, again) {
      await world.operator.send(new DeleteQueueCommand({ QueueUrl: world.stack.addresses.resolver_queue_url }));
      do await webhook(world, true);
      while (await again(300));
    },
  },
  {
    what: 'poison: a message in the queue that nobody of ours wrote',
    alarms: ['ItemsParked'],
    bring: (world) => sends(world, world.stack.addresses.resolver_queue_url, 'poison').then(() => {}),
  },
  {
    what: 'the schedule is off: the reconciler does not run',
    alarms: ['ReconcilerStopped'],
    options: { scheduleEveryMs: DAY_MS },
    async bring() {},
  },
  {
    what: 'a deployment whose functions lack a variable',
    alarms: ['IngestErrors', 'ResolverErrors', 'RunnerApiErrors', 'ReconcilerErrors'],
    deployment: 'without-variables',
    bring: callsEveryFunction,
  },
  {
    what: 'functions hang until they are cut off',
    alarms: ['IngestSlow', 'ResolverSlow', 'RunnerApiSlow', 'ReconcilerSlow'],
    deployment: 'hanging',
    // The reconciler is cut off after 55 seconds: twice within seven of these minutes.
    options: { minuteMs: 15_000 },
    bring: callsEveryFunction,
  },
];

/** The reconciler is called by its schedule. */
async function callsEveryFunction(world: World, again: Again): Promise<void> {
  do {
    void webhook(world, true);
    void fruitless(asks(world, newThread()));
    await sends(world, world.stack.addresses.resolver_queue_url, '{}');
  } while (await again(world.stack.monitoring.metrics.minuteMs / 2));
}

/** Alarms that nothing here makes fire, each with the reason; their metrics are emitted all the same. */
export const CANNOT_FIRE: Readonly<Record<string, string>> = Object.fromEntries(
  ['Ingest', 'Resolver', 'RunnerApi', 'Reconciler'].map((name) => [
    `${name}Throttled`,
    'one machine has no limit of concurrent invocations: they wait for their turn',
  ]),
);

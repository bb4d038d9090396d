import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { z } from 'zod';

/** The settings of every stage; what a stage leaves out is the schema's default. `cdk deploy -c stage=trial` picks one. */
const stages = {
  prod: {},
  /** Goes away with `cdk destroy`, with everything in it. */
  trial: { removal: 'destroy', logRetentionDays: 7 },
};

export const DEFAULT_STAGE = 'prod';

/** A thread that no runner has claimed yet belongs to this one (interface.md 3). */
const DEFAULT_RUNNER = 'default';
/** Each runner's queue URL is in a function's environment, and Lambda gives all variables together 4 KB. */
const RUNNERS_LIMIT = 16;

const runnerName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,29}$/, 'must be up to 30 lower-case letters, digits and hyphens, such as "default"');

const PRINCIPAL =
  /^(\d{12}|arn:aws[a-z-]*:iam::\d{12}:(role|user)\/[\w+=,.@/-]+|(ec2|ecs-tasks|lambda)\.amazonaws\.com)$/;
const principal = z
  .string()
  .regex(
    PRINCIPAL,
    "must be an account's 12 digits, the ARN of an IAM role or user, or ec2, ecs-tasks or lambda.amazonaws.com",
  );

const runnerSchema = z.strictObject({
  /** Who may take on the runner's role. Left out: whomever this account's own IAM policies let. */
  trusted: z.array(principal).min(1, 'must name someone, or be left out').optional(),
});

const runners = z
  .record(runnerName, runnerSchema)
  .refine((all) => Object.keys(all).length <= RUNNERS_LIMIT, `must hold at most ${RUNNERS_LIMIT} runners`)
  .refine(
    (all) => Object.hasOwn(all, DEFAULT_RUNNER),
    `must hold "${DEFAULT_RUNNER}", which gets the unclaimed threads`,
  );

const stageSchema = z.strictObject({
  /** By name; each gets a FIFO queue and an IAM role. */
  runners: runners.default({ [DEFAULT_RUNNER]: {} }),
  /** Left out: given at each deployment, as `--parameters ThreadHostUrl=…`. */
  threadHostUrl: z.url({ protocol: /^https$/, error: 'must be an address such as https://blobhub.example' }).optional(),
  /** False: an item that a webhook carries is read again from the thread host before it may answer anything. */
  trustWebhookItem: z.boolean('must be true or false').default(true),
  logRetentionDays: z
    .enum(RetentionDays, 'must be a number of days that CloudWatch Logs knows, such as 7, 30, 90 or 365')
    .default(RetentionDays.THREE_MONTHS),
  /** The most that a flood of webhooks may take of the account's concurrency, of which AWS keeps 100 unreserved. */
  ingestConcurrency: z.int('must be a whole number').min(1, 'must be at least 1').default(20),
  /** Is told of alarms, and must confirm the subscription once; left out: whoever subscribes to the topic by hand. */
  operatorEmail: z.email('must be an e-mail address').optional(),
  /** The most items that the resolver gets at once, of several threads. */
  batchSize: z.int('must be a whole number').min(1, 'must be at least 1').max(10, 'must be at most 10').default(10),
  /** Of every resource, such as the team that pays for it. */
  tags: z.record(z.string().min(1), z.string('must be a text')).default({}),
  /** Whether what people wrote outlives the stack: table, queues, secrets and logs. */
  removal: z.enum(['retain', 'destroy'], 'must be "retain" or "destroy"').default('retain'),
});

export type Stage = z.infer<typeof stageSchema> & { name: string };

/** The settings cannot work; the message is one plain sentence for the person who wrote them. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** @throws ConfigError that names the path in infra/config.ts and what must stand there */
export function readStage(name: string, settings: Record<string, unknown> = stages): Stage {
  if (!Object.hasOwn(settings, name)) {
    throw new ConfigError(
      `There is no stage "${name}" in infra/config.ts: it has ${Object.keys(settings).join(', ')}.`,
    );
  }
  const parsed = stageSchema.safeParse(settings[name]);
  if (parsed.success) return { name, ...parsed.data };
  const faults = parsed.error.issues.map((issue) => `${['stages', name, ...issue.path].join('.')} ${faultOf(issue)}`);
  throw new ConfigError(`The settings in infra/config.ts cannot work: ${faults.join('; ')}.`);
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join(' and ');
  if (issue.code !== 'unrecognized_keys') return issue.message;
  return `must not have ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
}

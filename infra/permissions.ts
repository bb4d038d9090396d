import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from './bundle.ts';

/** What a function may be given rights on. */
type Target = 'table' | 'workIndex' | 'resolverQueue' | 'runnerQueues' | 'webhookSecrets' | 'threadHostKey';

const SEND = ['sqs:SendMessage'];
/**
 * The first three are what Lambda's poller does in the function's name; the last is the back-off (protocol step 9), or a
 * runner that needs longer.
 */
const CONSUME = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'];
const SETTLE = ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:BatchWriteItem'];
/** Past prompts: an acknowledgement, and those that wait for one. */
const ACKNOWLEDGE = ['dynamodb:UpdateItem', 'dynamodb:Query'];
const QUERY = ['dynamodb:Query'];
const READ_SECRET = ['secretsmanager:GetSecretValue'];

/** Everything that a function may do, but for writing its own log (constructs/bundled-function.ts). */
const permissions: Record<FunctionName, Partial<Record<Target, string[]>>> = {
  ingest: {
    resolverQueue: SEND,
    webhookSecrets: READ_SECRET,
  },
  resolver: {
    resolverQueue: CONSUME,
    table: SETTLE,
    runnerQueues: SEND,
    threadHostKey: READ_SECRET,
  },
  'runner-api': {
    table: [...SETTLE, ...ACKNOWLEDGE],
    runnerQueues: SEND,
    // Adoption puts the thread's items on the queue again (decisions.md P10).
    resolverQueue: SEND,
    threadHostKey: READ_SECRET,
  },
  reconciler: {
    table: SETTLE,
    workIndex: QUERY,
    runnerQueues: SEND,
    threadHostKey: READ_SECRET,
  },
};

export type TargetArns = Record<Target, string[]>;

export function permit(lambda: LambdaFunction, name: FunctionName, arns: TargetArns): void {
  for (const [target, actions] of Object.entries(permissions[name])) {
    lambda.addToRolePolicy(new PolicyStatement({ actions, resources: arns[target as Target] }));
  }
}

/** Everything that a runner may do: the calls of the runner API and its own queue (interface.md 2 and 3). */
export function permitRunner(role: Role, { routeArns, queueArn }: { routeArns: string[]; queueArn: string }): void {
  role.addToPolicy(new PolicyStatement({ actions: ['execute-api:Invoke'], resources: routeArns }));
  role.addToPolicy(new PolicyStatement({ actions: CONSUME, resources: [queueArn] }));
}

import { Duration, Validations } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { BundledFunction } from './bundled-function.ts';
import type { Operators } from './operators.ts';
import { OrderedQueue } from './ordered-queue.ts';

const TIMEOUT = Duration.seconds(30);
/** AWS's advice: room for the poller's own retries, so that no message is handled twice at once. */
const VISIBILITY_TIMEOUT = Duration.seconds(6 * TIMEOUT.toSeconds());

export type ResolverProps = {
  stage: Stage;
  operators: Operators;
  bundles: string;
  environment: Record<string, string>;
};

/** Thread items in the thread's order, and the function that decides what each of them is. */
export class Resolver extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { stage, operators, bundles, environment }: ResolverProps) {
    super(scope, id);
    const { queue, deadLetterQueue } = new OrderedQueue(this, 'ThreadItems', {
      stage,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      operators,
      name: 'ThreadItems',
      deadLettersMean:
        'A reply that a person wrote is neither an answer nor a next turn, and their next one may be taken for it.',
      waiting: {
        minutes: 5,
        severity: 'page',
        means: 'Replies that people wrote wait, and so do the agents that they answer.',
        stopsAnswers: true,
      },
    });
    this.queue = queue;
    this.deadLetterQueue = deadLetterQueue;
    this.function = new BundledFunction(this, 'Resolve', {
      stage,
      operators,
      bundles,
      name: 'resolver',
      stopsAnswers: true,
      impact: 'People answer and no agent hears of it; their replies wait in the queue.',
      timeout: TIMEOUT,
      memorySize: 512,
      environment: { ...environment, RESOLVER_QUEUE_URL: queue.queueUrl },
    }).function;
    // Not SqsEventSource, which grants more than permissions.ts lists.
    const mapping = this.function.addEventSourceMapping('ThreadItems', {
      eventSourceArn: queue.queueArn,
      batchSize: stage.batchSize,
      reportBatchItemFailures: true,
    });
    Validations.of(mapping).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason: 'Lambda has none for SQS: the queue itself moves what keeps failing to its dead-letter queue.',
    });
    this.watch(operators);
  }

  private watch(operators: Operators): void {
    operators.alarm(this, 'OwnUserUnknown', {
      severity: 'page',
      means: 'The thread host does not tell whose key we hold, and until it does no reply can answer: replies wait.',
      metric: operators.metric('OwnUserUnknown', 'resolver', 'Sum'),
      threshold: 0,
      // One minute is a restart of the host.
      minutes: 3,
      stopsAnswers: true,
    });
    operators.alarm(this, 'ItemsParked', {
      severity: 'page',
      means: 'A message could never be handled and was put aside: what a person wrote may be in it.',
      metric: operators.metric('Parked', 'resolver', 'Sum'),
      threshold: 0,
      minutes: 1,
    });
  }
}

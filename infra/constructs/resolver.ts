import { Duration, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { BundledFunction } from './bundled-function.ts';
import { OrderedQueue } from './ordered-queue.ts';

const TIMEOUT = Duration.seconds(30);
/** AWS's advice: room for the poller's own retries, so that no message is handled twice at once. */
const VISIBILITY_TIMEOUT = Duration.seconds(6 * TIMEOUT.toSeconds());

export type ResolverProps = { stage: Stage; bundles: string; environment: Record<string, string> };

/** Thread items in the thread's order, and the function that decides what each of them is. */
export class Resolver extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { stage, bundles, environment }: ResolverProps) {
    super(scope, id);
    const { queue, deadLetterQueue } = new OrderedQueue(this, 'ThreadItems', {
      stage,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      impact:
        'A reply that a person wrote is neither an answer nor a next turn, and their next one may be taken for it.',
    });
    this.queue = queue;
    this.deadLetterQueue = deadLetterQueue;
    this.function = new BundledFunction(this, 'Resolve', {
      stage,
      bundles,
      name: 'resolver',
      impact: 'People answer and no agent hears of it; their replies wait in the queue.',
      timeout: TIMEOUT,
      memorySize: 512,
      environment: { ...environment, RESOLVER_QUEUE_URL: queue.queueUrl },
    }).function;
    // Not SqsEventSource, which grants more than permissions.ts lists.
    const mapping = this.function.addEventSourceMapping('ThreadItems', {
      eventSourceArn: queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    Validations.of(mapping).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason: 'Lambda has none for SQS: the queue itself moves what keeps failing to its dead-letter queue.',
    });
    new Alarm(this, 'OwnUserUnknown', {
      alarmDescription:
        'The thread host does not tell whose key we hold. Until it does no reply can answer: people answer and no agent ' +
        'hears of it; their replies wait in the queue.',
      metric: new Metric({
        namespace: 'InteractivePrompts',
        metricName: 'OwnUserUnknown',
        dimensionsMap: { stage: stage.name, function: 'resolver' },
        statistic: 'Sum',
        period: Duration.minutes(1),
      }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: 0,
      // One minute is a restart of the host.
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

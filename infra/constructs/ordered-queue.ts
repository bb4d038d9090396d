import { Duration, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { removalPolicyOf } from '../removal.ts';

/** SQS's longest, for queue and dead-letter queue: a runner may be away for days, and so may an operator. */
const RETENTION = Duration.days(14);
/**
 * SQS's largest. Behind a message in the dead-letter queue the thread's next item would become the answer; with retries
 * that back off to two minutes this outlasts a day of a dead thread host (protocol step 9).
 */
const MAX_RECEIVE_COUNT = 1000;
/** SQS's largest: a webhook's 512 KiB may double where JSON escapes characters. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

export type OrderedQueueProps = {
  stage: Stage;
  visibilityTimeout: Duration;
  /** What it means for people when a message ends up in the dead-letter queue: one sentence. */
  impact: string;
};

/** A FIFO queue whose message groups are threads, with its dead-letter queue and the alarm on that. */
export class OrderedQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { stage, visibilityTimeout, impact }: OrderedQueueProps) {
    super(scope, id);
    const common: QueueProps = {
      fifo: true,
      // Both together are SQS's high throughput: a limit per thread instead of one for all threads.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      retentionPeriod: RETENTION,
      maxMessageSizeBytes: MAX_MESSAGE_BYTES,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: removalPolicyOf(stage),
    };
    this.deadLetterQueue = new Queue(this, 'Dlq', common);
    Validations.of(this.deadLetterQueue).acknowledge({
      id: 'Serverless-SQSRedrivePolicy',
      reason: 'It is the dead-letter queue: there is nowhere further to go, and one message in it raises the alarm.',
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
    new Alarm(this, 'DlqNotEmpty', {
      alarmDescription: `A message is in the dead-letter queue. ${impact}`,
      metric: this.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      threshold: 0,
      evaluationPeriods: 1,
      // SQS sends nothing for a queue that nobody uses.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

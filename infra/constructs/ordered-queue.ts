import { Duration, Validations } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { removalPolicyOf } from '../removal.ts';
import type { Operators } from './operators.ts';

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
  operators: Operators;
  /** Of the alarms. */
  name: string;
  /** What it means for people when a message ends up in the dead-letter queue. */
  deadLettersMean: string;
  /** What it means for people when messages wait, and after how many minutes they do. */
  waiting: { minutes: number; means: string; severity: 'page' | 'ticket'; stopsAnswers?: true };
};

/** A FIFO queue whose message groups are threads, with its dead-letter queue and the alarm on that. */
export class OrderedQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: OrderedQueueProps) {
    super(scope, id);
    const { stage, visibilityTimeout } = props;
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
    this.watch(props);
  }

  /** SQS sends nothing for a queue that nobody uses. */
  private watch({ operators, name, deadLettersMean, waiting }: OrderedQueueProps): void {
    const period = Duration.minutes(1);
    operators.alarm(this, `${name}DeadLetters`, {
      severity: 'page',
      means: `A message is in the dead-letter queue. ${deadLettersMean}`,
      metric: this.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
      threshold: 0,
      minutes: 1,
      stopsAnswers: true,
    });
    const { minutes, ...rest } = waiting;
    operators.alarm(this, `${name}Waiting`, {
      ...rest,
      metric: this.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period }),
      threshold: minutes * 60,
      minutes: 5,
      bad: 3,
    });
  }
}

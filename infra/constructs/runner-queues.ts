import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { OrderedQueue } from './ordered-queue.ts';

/** What a runner had in hand when it crashed comes back to the next one after this. */
const VISIBILITY_TIMEOUT = Duration.minutes(1);

/** One queue per configured runner (interface.md 3). */
export class RunnerQueues extends Construct {
  readonly arns: string[];
  /** A JSON object of name to URL. */
  readonly urls: string;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id);
    const queues = stage.runners.map((name) => {
      const { queue } = new OrderedQueue(this, `${name}-runner`, {
        stage,
        visibilityTimeout: VISIBILITY_TIMEOUT,
        impact: `The agents of the runner "${name}" go on waiting for an answer that was given.`,
      });
      return { name, queue };
    });
    this.arns = queues.map(({ queue }) => queue.queueArn);
    this.urls = Stack.of(this).toJsonString(
      Object.fromEntries(queues.map(({ name, queue }) => [name, queue.queueUrl])),
    );
  }
}

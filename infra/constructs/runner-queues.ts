import { Duration, Stack } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import type { Operators } from './operators.ts';
import { OrderedQueue } from './ordered-queue.ts';

/** What a runner had in hand when it crashed comes back to the next one after this. */
const VISIBILITY_TIMEOUT = Duration.minutes(1);

/** One queue per configured runner (interface.md 3). */
export class RunnerQueues extends Construct {
  readonly byRunner: ReadonlyMap<string, Queue>;
  /** A JSON object of name to URL. */
  readonly urls: string;

  constructor(scope: Construct, id: string, { stage, operators }: { stage: Stage; operators: Operators }) {
    super(scope, id);
    const queueOf = (runner: string) =>
      new OrderedQueue(this, `${runner}-runner`, {
        stage,
        visibilityTimeout: VISIBILITY_TIMEOUT,
        operators,
        name: `Runner-${runner}-`,
        deadLettersMean: `The agents of the runner "${runner}" go on waiting for an answer that was given.`,
        waiting: {
          minutes: 15,
          severity: 'ticket',
          means: `The runner "${runner}" does not read its queue: its agents go on waiting for answers that were given.`,
          stopsAnswers: true,
        },
      }).queue;
    this.byRunner = new Map(Object.keys(stage.runners).map((runner) => [runner, queueOf(runner)]));
    const urls = [...this.byRunner].map(([runner, queue]) => [runner, queue.queueUrl]);
    this.urls = Stack.of(this).toJsonString(Object.fromEntries(urls));
  }
}

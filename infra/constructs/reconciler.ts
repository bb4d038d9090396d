import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { BundledFunction } from './bundled-function.ts';
import type { Operators } from './operators.ts';

const EVERY = Duration.minutes(1);
/** A run that failed or was late is not made again: the next one finds the same work. */
const NO_RETRIES = { retryAttempts: 0, maxEventAge: EVERY };

export type ReconcilerProps = {
  stage: Stage;
  operators: Operators;
  bundles: string;
  environment: Record<string, string>;
};

/** Finishes every minute what a crash left unfinished. */
export class Reconciler extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { stage, operators, bundles, environment }: ReconcilerProps) {
    super(scope, id);
    this.function = new BundledFunction(this, 'Reconcile', {
      stage,
      operators,
      bundles,
      name: 'reconciler',
      impact: 'An answer or an audit item that a crash held up stays held up.',
      timeout: Duration.seconds(55),
      memorySize: 512,
      environment,
      reservedConcurrentExecutions: 1,
      ...NO_RETRIES,
    }).function;
    const rule = new Rule(this, 'EveryMinute', {
      description: 'Finishes prompts that are settled but not yet notified or audited.',
      schedule: Schedule.rate(EVERY),
      targets: [new LambdaTarget(this.function, NO_RETRIES)],
    });
    const reason =
      'The event of a missed run says nothing: what the run would have done is in the table for the next one.';
    Validations.of(this.function).acknowledge({ id: 'Serverless-LambdaAsyncFailureDestination', reason });
    Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason });
    watch(this, operators);
  }
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The reconciler's own pulse, and the ages that only it sees. */
function watch(scope: Construct, operators: Operators): void {
  operators.alarm(scope, 'ReconcilerStopped', {
    severity: 'page',
    means: 'Nothing finishes what a crash or an outage left, and nobody sees how long answers wait.',
    metric: operators.metric('ReconcilerRuns', 'reconciler', 'Sum'),
    threshold: 1,
    below: true,
    minutes: 5,
    silence: 'bad',
  });
  operators.alarm(scope, 'AnswersNotDelivered', {
    severity: 'page',
    means: "An outcome is recorded and its runner's queue does not have it: an agent goes on waiting.",
    metric: operators.metric('OldestUnnotifiedMs', 'reconciler', 'Maximum'),
    threshold: 5 * MINUTE_MS,
    minutes: 1,
    stopsAnswers: true,
  });
  operators.alarm(scope, 'AuditItemsOwed', {
    severity: 'ticket',
    means: 'Agents have their answers, but threads do not show who answered what: the thread host takes no items.',
    metric: operators.metric('OldestUnauditedMs', 'reconciler', 'Maximum'),
    threshold: 15 * MINUTE_MS,
    minutes: 1,
  });
  operators.alarm(scope, 'OutcomesUnacknowledged', {
    severity: 'ticket',
    means: 'An agent has not said that it has its outcome: its runner may have died with it.',
    metric: operators.metric('OldestUnacknowledgedMs', 'reconciler', 'Maximum'),
    threshold: DAY_MS,
    minutes: 1,
  });
  operators.alarm(scope, 'QuestionOpenForAWeek', {
    severity: 'information',
    means: 'Somebody has not answered for a week. The question stays open; perhaps nobody knows of it.',
    metric: operators.metric('OldestOpenMs', 'reconciler', 'Maximum'),
    threshold: 7 * DAY_MS,
    minutes: 1,
  });
}

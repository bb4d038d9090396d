import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { BundledFunction } from './bundled-function.ts';

const EVERY = Duration.minutes(1);
/** A run that failed or was late is not made again: the next one finds the same work. */
const NO_RETRIES = { retryAttempts: 0, maxEventAge: EVERY };

export type ReconcilerProps = { stage: Stage; bundles: string; environment: Record<string, string> };

/** Finishes every minute what a crash left unfinished. */
export class Reconciler extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { stage, bundles, environment }: ReconcilerProps) {
    super(scope, id);
    this.function = new BundledFunction(this, 'Reconcile', {
      stage,
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
  }
}

import path from 'node:path';
import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type FunctionOptions,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '../bundle.ts';
import type { Stage } from '../config.ts';
import { removalPolicyOf } from '../removal.ts';
import type { Operators } from './operators.ts';

export type BundledFunctionProps = {
  stage: Stage;
  /** The folder that holds the bundles (infra/bundle.ts). */
  bundles: string;
  operators: Operators;
  name: FunctionName;
  /** What it means for people while this function fails: one sentence. */
  impact: string;
  /** While it fails, answers do not reach agents. */
  stopsAnswers?: true;
  timeout: Duration;
  memorySize: number;
  environment: Record<string, string>;
} & Pick<FunctionOptions, 'reservedConcurrentExecutions' | 'retryAttempts' | 'maxEventAge'>;

/** A function with its own log and a role that may write there and nothing else: rights come from permissions.ts. */
export class BundledFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: BundledFunctionProps) {
    super(scope, id);
    const { stage, operators, bundles, name, impact, stopsAnswers, ...options } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    // Not CDK's role: AWSLambdaBasicExecutionRole may write every log of the account.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    this.function = new LambdaFunction(this, 'Function', {
      ...options,
      environment: { ...options.environment, STAGE: stage.name },
      description: `What its failure means: ${impact}`,
      code: Code.fromAsset(path.join(bundles, name)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // From webhook to settlement in one trace. None of it is in the bundle, so a cold start loads no more than before;
      // Lambda takes 16 MB for its daemon.
      tracing: Tracing.ACTIVE,
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Of tracing, whose two actions only write and know no resource that could be named.',
    });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        'It would take asynchronous events alone: only the schedule sends such, and its next one does the same work.',
    });
    this.watch(props);
  }

  private watch({ operators, name, impact, stopsAnswers, timeout }: BundledFunctionProps): void {
    const Name = name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const period = Duration.minutes(1);
    const common = { minutes: 5, bad: 2, ...(stopsAnswers && { stopsAnswers }) };
    operators.alarm(this, `${Name}Errors`, {
      ...common,
      severity: 'page',
      means: `The function fails. ${impact}`,
      metric: this.function.metricErrors({ period }),
      threshold: 0,
    });
    operators.alarm(this, `${Name}Throttled`, {
      ...common,
      severity: 'ticket',
      means: `AWS refuses to run the function, as too many run already. ${impact}`,
      metric: this.function.metricThrottles({ period }),
      threshold: 0,
    });
    operators.alarm(this, `${Name}Slow`, {
      ...common,
      severity: 'ticket',
      means: `The function takes nearly as long as it may, and is then cut off. ${impact}`,
      metric: this.function.metricDuration({ period, statistic: 'p99' }),
      threshold: 0.9 * timeout.toMilliseconds(),
    });
  }
}

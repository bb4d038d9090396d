import path from 'node:path';
import { type Duration, Validations } from 'aws-cdk-lib';
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

export type BundledFunctionProps = {
  stage: Stage;
  /** The folder that holds the bundles (infra/bundle.ts). */
  bundles: string;
  name: FunctionName;
  /** What it means for people while this function fails: one sentence. */
  impact: string;
  timeout: Duration;
  memorySize: number;
  environment: Record<string, string>;
} & Pick<FunctionOptions, 'reservedConcurrentExecutions' | 'retryAttempts' | 'maxEventAge'>;

/** A function with its own log and a role that may write there and nothing else: rights come from permissions.ts. */
export class BundledFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { stage, bundles, name, impact, ...options }: BundledFunctionProps) {
    super(scope, id);
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
  }
}

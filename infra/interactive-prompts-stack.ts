import { CfnOutput, CfnParameter, DefaultStackSynthesizer, Duration, type IStackSynthesizer, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DEFAULT_STAGE, type Stage as StageSettings } from './config.ts';
import { BundledFunction } from './constructs/bundled-function.ts';
import { HttpGateway } from './constructs/http-gateway.ts';
import { OperatorSecrets } from './constructs/operator-secrets.ts';
import { PromptTable } from './constructs/prompt-table.ts';
import { Reconciler } from './constructs/reconciler.ts';
import { Resolver } from './constructs/resolver.ts';
import { RunnerQueues } from './constructs/runner-queues.ts';
import { RunnerRoles, runnerRolePrefix } from './constructs/runner-roles.ts';
import { permit } from './permissions.ts';

export type InteractivePromptsStackProps = {
  stage: StageSettings;
  /** The folder that holds the bundles (infra/bundle.ts). */
  bundles: string;
};

/** webhook → ingest → queue → resolver → table and runner queue; runners call the runner API; the reconciler mops up. */
export class InteractivePromptsStack extends Stack {
  constructor(scope: Construct, id: string, props: InteractivePromptsStackProps) {
    super(scope, id, {
      stackName: props.stage.name === DEFAULT_STAGE ? id : `${id}-${props.stage.name}`,
      description: 'Takes the question of a coding agent to a person and the answer back, exactly once.',
      // The CLI checks the bootstrap stack itself; without the rule the template's only parameter is ours. The cast: CDK's
      // typings leave out an `undefined` that our exactOptionalPropertyTypes asks for.
      synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }) as IStackSynthesizer,
    });
    const { stage } = props;
    const { table, workIndexArn } = new PromptTable(this, 'Prompts', { stage });
    const { webhookSecrets, threadHostKey } = new OperatorSecrets(this, 'Secrets', { stage });
    const runnerQueues = new RunnerQueues(this, 'RunnerQueues', { stage });

    const withoutQueue = {
      TABLE_NAME: table.tableName,
      RUNNER_QUEUE_URLS: runnerQueues.urls,
      THREAD_HOST_URL: this.threadHostUrl(),
      THREAD_HOST_KEY_ARN: threadHostKey.secretArn,
    };
    const resolver = new Resolver(this, 'Resolver', { ...props, environment: withoutQueue });
    const environment = { ...withoutQueue, RESOLVER_QUEUE_URL: resolver.queue.queueUrl };
    const reconciler = new Reconciler(this, 'Reconciler', { ...props, environment });
    const runnerApi = this.runnerApi(props, { ...environment, RUNNER_ROLE_PREFIX: runnerRolePrefix(this) });
    const ingest = this.ingest(props, {
      RESOLVER_QUEUE_URL: resolver.queue.queueUrl,
      WEBHOOK_SECRETS_ARN: webhookSecrets.secretArn,
      TRUST_WEBHOOK_ITEM: String(stage.trustWebhookItem),
    });

    const arns = {
      table: [table.tableArn],
      workIndex: [workIndexArn],
      resolverQueue: [resolver.queue.queueArn],
      runnerQueues: [...runnerQueues.byRunner.values()].map(({ queueArn }) => queueArn),
      webhookSecrets: [webhookSecrets.secretArn],
      threadHostKey: [threadHostKey.secretArn],
    };
    permit(ingest, 'ingest', arns);
    permit(resolver.function, 'resolver', arns);
    permit(runnerApi, 'runner-api', arns);
    permit(reconciler.function, 'reconciler', arns);

    const gateway = new HttpGateway(this, 'Http', { stage, ingest, runnerApi });
    const runnerRoles = new RunnerRoles(this, 'RunnerRoles', {
      stage,
      queues: runnerQueues.byRunner,
      routes: gateway.runnerRoutes,
    });
    this.output({
      WebhookUrl: gateway.webhookUrl,
      RunnerApiUrl: gateway.runnerApiUrl,
      RunnerRoleArns: runnerRoles.arns,
      RunnerQueueUrls: runnerQueues.urls,
      ResolverQueueUrl: resolver.queue.queueUrl,
      ResolverDlqUrl: resolver.deadLetterQueue.queueUrl,
      TableName: table.tableName,
      WebhookSecretsArn: webhookSecrets.secretArn,
      ThreadHostKeyArn: threadHostKey.secretArn,
    });
  }

  private threadHostUrl(): string {
    return new CfnParameter(this, 'ThreadHostUrl', {
      description: 'Base URL of the thread host, such as https://blobhub.example.',
      // What people write and the key that posts as the runner go there.
      allowedPattern: '^https://.+',
      constraintDescription: 'must begin with https://',
    }).valueAsString;
  }

  private ingest(props: InteractivePromptsStackProps, environment: Record<string, string>) {
    return new BundledFunction(this, 'Ingest', {
      ...props,
      name: 'ingest',
      impact: 'What people write on a thread reaches no agent until the thread host has sent it again.',
      timeout: Duration.seconds(10),
      memorySize: 256,
      environment,
      reservedConcurrentExecutions: props.stage.ingestConcurrency,
    }).function;
  }

  private runnerApi(props: InteractivePromptsStackProps, environment: Record<string, string>) {
    return new BundledFunction(this, 'RunnerApi', {
      ...props,
      name: 'runner-api',
      impact: 'Agents cannot ask: what needs an approval is refused as unavailable.',
      // The gateway gives up after 30 seconds.
      timeout: Duration.seconds(29),
      memorySize: 512,
      environment,
    }).function;
  }

  private output(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}

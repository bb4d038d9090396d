import {
  CfnOutput,
  CfnParameter,
  DefaultStackSynthesizer,
  Duration,
  type IStackSynthesizer,
  Stack,
  Tags,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { DEFAULT_STAGE, type Stage as StageSettings } from './config.ts';
import { BundledFunction } from './constructs/bundled-function.ts';
import { Dashboard } from './constructs/dashboard.ts';
import { HttpGateway } from './constructs/http-gateway.ts';
import { OperatorSecrets } from './constructs/operator-secrets.ts';
import { Operators } from './constructs/operators.ts';
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

type FunctionsProps = InteractivePromptsStackProps & { operators: Operators };

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
    for (const [name, value] of Object.entries(stage.tags)) Tags.of(this).add(name, value);
    const operators = new Operators(this, 'Operators', { stage });
    const { table, workIndexArn } = new PromptTable(this, 'Prompts', { stage });
    const { webhookSecrets, threadHostKey } = new OperatorSecrets(this, 'Secrets', { stage });
    const runnerQueues = new RunnerQueues(this, 'RunnerQueues', { stage, operators });

    const withoutQueue = {
      TABLE_NAME: table.tableName,
      RUNNER_QUEUE_URLS: runnerQueues.urls,
      THREAD_HOST_URL: this.threadHostUrl(stage),
      THREAD_HOST_KEY_ARN: threadHostKey.secretArn,
    };
    const resolver = new Resolver(this, 'Resolver', { ...props, operators, environment: withoutQueue });
    const environment = { ...withoutQueue, RESOLVER_QUEUE_URL: resolver.queue.queueUrl };
    const reconciler = new Reconciler(this, 'Reconciler', { ...props, operators, environment });
    const runnerApi = this.runnerApi(
      { ...props, operators },
      { ...environment, RUNNER_ROLE_PREFIX: runnerRolePrefix(this) },
    );
    const ingest = this.ingest(
      { ...props, operators },
      {
        RESOLVER_QUEUE_URL: resolver.queue.queueUrl,
        WEBHOOK_SECRETS_ARN: webhookSecrets.secretArn,
        TRUST_WEBHOOK_ITEM: String(stage.trustWebhookItem),
      },
    );

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
    watchWebhooks(this, operators);
    operators.addComposite();
    new Dashboard(this, 'Dashboard', {
      operators,
      functions: { ingest, resolver: resolver.function, 'runner-api': runnerApi, reconciler: reconciler.function },
      threadItems: resolver,
      runnerQueues: runnerQueues.byRunner,
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

  private threadHostUrl(stage: StageSettings): string {
    return new CfnParameter(this, 'ThreadHostUrl', {
      description: 'Base URL of the thread host, such as https://blobhub.example.',
      // What people write and the key that posts as the runner go there.
      allowedPattern: '^https://.+',
      constraintDescription: 'must begin with https://',
      ...(stage.threadHostUrl !== undefined && { default: stage.threadHostUrl }),
    }).valueAsString;
  }

  private ingest(props: FunctionsProps, environment: Record<string, string>) {
    return new BundledFunction(this, 'Ingest', {
      ...props,
      name: 'ingest',
      stopsAnswers: true,
      impact: 'What people write on a thread reaches no agent until the thread host has sent it again.',
      timeout: Duration.seconds(10),
      memorySize: 256,
      environment,
      reservedConcurrentExecutions: props.stage.ingestConcurrency,
    }).function;
  }

  private runnerApi(props: FunctionsProps, environment: Record<string, string>) {
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

function watchWebhooks(scope: Construct, operators: Operators): void {
  operators.alarm(scope, 'WebhooksNotSigned', {
    severity: 'ticket',
    means: 'Somebody makes webhooks up, or a secret was changed on one side only: then no reply comes in.',
    metric: operators.metric('SignatureInvalid', 'ingest', 'Sum'),
    threshold: 5,
    minutes: 5,
    bad: 3,
  });
  operators.alarm(scope, 'WebhookSecretsUnusable', {
    severity: 'page',
    means: 'The webhook secrets cannot be read, so no reply comes in until the thread host sends it again.',
    metric: operators.metric('SecretsUnusable', 'ingest', 'Sum'),
    threshold: 0,
    minutes: 5,
    bad: 2,
    stopsAnswers: true,
  });
  operators.alarm(scope, 'ItemsNotQueued', {
    severity: 'page',
    means: 'The queue does not take replies: they come in only when the thread host sends them again.',
    metric: operators.metric('EnqueueFailure', 'ingest', 'Sum'),
    threshold: 0,
    minutes: 5,
    bad: 2,
    stopsAnswers: true,
  });
  operators.alarm(scope, 'QuestionsUnavailable', {
    severity: 'ticket',
    means: 'Agents cannot ask: the thread host does not take their questions, and what needs an approval is not done.',
    metric: operators.metric('PromptUnavailable', 'runner-api', 'Sum'),
    threshold: 0,
    minutes: 5,
    bad: 3,
  });
}

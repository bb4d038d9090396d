import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { EventSource } from './event-source.ts';
import type { Invocation } from './execution-environment.ts';
import { timeoutSeconds } from './functions.ts';
import { TemplateError } from './intrinsics.ts';
import { REGION } from './resource-names.ts';
import { expectOneOf } from './resource-types.ts';
import type { Route } from './routes.ts';
import type { Template } from './template.ts';

/** A client whose calls count as those of the function with this logical id. */
export type SqsAs = (functionId: string) => SQSClient;
export type Invoke = (functionId: string, event: unknown) => Promise<Invocation>;

/** Lambda's default and SQS's largest. */
const BATCH_SIZE = 10;
/** Where a mapping sets no limit of its own: what two cores can do at once. */
const CONCURRENCY = 16;

/** Starts the template's event source mappings. */
export async function startEventSources(
  template: Template,
  sqsAs: SqsAs,
  invoke: Invoke,
  log: (functionId: string, line: string) => void,
): Promise<EventSource[]> {
  const mappings = template.ofType('AWS::Lambda::EventSourceMapping');
  const enabled = mappings.filter((mapping) => template.property(mapping, 'Enabled') !== false);
  const settings = enabled.map((mapping) => {
    const functionId = functionNamed(template, mapping, 'FunctionName');
    return {
      ...queueSettings(template, mapping),
      region: REGION,
      // Lambda's poller acts with the function's role.
      sqs: sqsAs(functionId),
      invoke: (event: unknown) => invoke(functionId, event),
      log: (line: string) => log(functionId, line),
      mapping,
      timeoutSeconds: timeoutSeconds(template, functionId),
    };
  });
  await Promise.all(settings.map(expectLongVisibility));
  return settings.map((each) => new EventSource(each));
}

function queueSettings(template: Template, mapping: string) {
  const queueArn = template.text(mapping, 'EventSourceArn');
  const queue = template.resourceWith('Arn', queueArn, mapping);
  const scaling = template.property(mapping, 'ScalingConfig') as { MaximumConcurrency?: number } | undefined;
  const batchSize = (template.property(mapping, 'BatchSize') as number | undefined) ?? BATCH_SIZE;
  const responses = (template.property(mapping, 'FunctionResponseTypes') as string[] | undefined) ?? [];
  if (batchSize > BATCH_SIZE) throw new TemplateError(mapping, `BatchSize ${batchSize} is over ${BATCH_SIZE}`);
  return {
    queueUrl: template.attribute(queue, 'QueueUrl', mapping),
    queueArn,
    batchSize,
    reportsItemFailures: responses.includes('ReportBatchItemFailures'),
    concurrency: Math.min(scaling?.MaximumConcurrency ?? CONCURRENCY, CONCURRENCY),
  };
}

type Checked = { sqs: SQSClient; queueUrl: string; mapping: string; timeoutSeconds: number };

/** Lambda asks the queue before it accepts a mapping: a message must not come again while it is being handled. */
async function expectLongVisibility({ sqs, queueUrl, mapping, timeoutSeconds }: Checked): Promise<void> {
  const read = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['VisibilityTimeout'] });
  const { Attributes } = await sqs.send(read).catch((error) => {
    throw new TemplateError(mapping, `the queue cannot be read: ${error.message}`);
  });
  const visibleAfter = Number(Attributes?.VisibilityTimeout);
  if (visibleAfter >= timeoutSeconds) return;
  const problem = `the queue's visibility time-out (${visibleAfter} s) is below the function's time-out`;
  throw new TemplateError(mapping, `${problem} (${timeoutSeconds} s)`);
}

/** The routes of the template's HTTP API. */
export function routesOf(template: Template): Route[] {
  for (const api of template.ofType('AWS::ApiGatewayV2::Api')) expectOneOf(template, api, 'ProtocolType', ['HTTP']);
  for (const stage of template.ofType('AWS::ApiGatewayV2::Stage')) {
    expectOneOf(template, stage, 'StageName', ['$default']);
  }
  return template.ofType('AWS::ApiGatewayV2::Route').map((route) => {
    expectOneOf(template, route, 'AuthorizationType', [undefined, 'NONE', 'AWS_IAM']);
    const integration = template.text(route, 'Target').replace(/^integrations\//, '');
    expectOneOf(template, integration, 'IntegrationType', ['AWS_PROXY']);
    expectOneOf(template, integration, 'PayloadFormatVersion', ['2.0']);
    return {
      routeKey: template.text(route, 'RouteKey'),
      functionId: functionNamed(template, integration, 'IntegrationUri'),
      iam: template.property(route, 'AuthorizationType') === 'AWS_IAM',
    };
  });
}

/** The function that a property names by its ARN or by its name. */
function functionNamed(template: Template, logicalId: string, property: string): string {
  const name = template.text(logicalId, property);
  return template.resourceWith(name.startsWith('arn:') ? 'Arn' : 'Ref', name, logicalId);
}

import type { SQSClient } from '@aws-sdk/client-sqs';
import { EventSource } from './event-source.ts';
import type { Invocation } from './execution-environment.ts';
import { TemplateError } from './intrinsics.ts';
import { REGION } from './resource-names.ts';
import { expectOneOf } from './resource-types.ts';
import type { Route } from './routes.ts';
import type { Template } from './template.ts';

export type Invoke = (functionId: string, event: unknown) => Promise<Invocation>;

/** Lambda's default and SQS's largest. */
const BATCH_SIZE = 10;
/** Where a mapping sets no limit of its own: what two cores can do at once. */
const CONCURRENCY = 16;

/** Starts the template's event source mappings. */
export function startEventSources(
  template: Template,
  sqs: SQSClient,
  invoke: Invoke,
  log: (functionId: string, line: string) => void,
): EventSource[] {
  const mappings = template.ofType('AWS::Lambda::EventSourceMapping');
  return mappings
    .filter((mapping) => template.property(mapping, 'Enabled') !== false)
    .map((mapping) => {
      const queueArn = template.text(mapping, 'EventSourceArn');
      const queue = template.resourceWith('Arn', queueArn, mapping);
      const functionId = functionNamed(template, mapping, 'FunctionName');
      const scaling = template.property(mapping, 'ScalingConfig') as { MaximumConcurrency?: number } | undefined;
      const batchSize = (template.property(mapping, 'BatchSize') as number | undefined) ?? BATCH_SIZE;
      const responses = (template.property(mapping, 'FunctionResponseTypes') as string[] | undefined) ?? [];
      if (batchSize > BATCH_SIZE) throw new TemplateError(mapping, `BatchSize ${batchSize} is over ${BATCH_SIZE}`);
      return new EventSource({
        queueUrl: template.attribute(queue, 'QueueUrl', mapping),
        queueArn,
        region: REGION,
        batchSize,
        reportsItemFailures: responses.includes('ReportBatchItemFailures'),
        concurrency: Math.min(scaling?.MaximumConcurrency ?? CONCURRENCY, CONCURRENCY),
        sqs,
        invoke: (event) => invoke(functionId, event),
        log: (line) => log(functionId, line),
      });
    });
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

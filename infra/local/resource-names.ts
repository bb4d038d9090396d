import type { Template } from './template.ts';

export const REGION = 'us-east-1';
/** The account that the queue emulator is built on. */
export const ACCOUNT_ID = '000000000000';

/** Where the emulators listen; `gateway` is the HTTP API. */
export type Origins = { gateway: string; sqs: string };

const QUEUE_NAME_LIMIT = 80;

/** Gives every resource its name, ARN and addresses. They hang on logical ids alone and stay over restarts. */
export function nameResources(template: Template, origins: Origins): void {
  for (const [logicalId, { Type }] of template.resources) {
    template.name(logicalId, attributesOf(template, logicalId, Type, origins));
  }
}

function attributesOf(template: Template, logicalId: string, type: string, origins: Origins) {
  const own = (property: string) => template.property(logicalId, property) as string | undefined;
  switch (type) {
    case 'AWS::SQS::Queue': {
      const suffix = own('FifoQueue') ? '.fifo' : '';
      const name = own('QueueName') ?? logicalId.slice(0, QUEUE_NAME_LIMIT - suffix.length) + suffix;
      const url = `${origins.sqs}/${ACCOUNT_ID}/${name}`;
      return { Ref: url, QueueUrl: url, QueueName: name, Arn: arn('sqs', name) };
    }
    case 'AWS::DynamoDB::GlobalTable': {
      const name = own('TableName') ?? logicalId;
      return { Ref: name, Arn: arn('dynamodb', `table/${name}`) };
    }
    case 'AWS::Lambda::Function': {
      const name = own('FunctionName') ?? logicalId;
      return { Ref: name, Arn: arn('lambda', `function:${name}`) };
    }
    case 'AWS::SecretsManager::Secret': {
      const secretArn = arn('secretsmanager', `secret:${own('Name') ?? logicalId}`);
      return { Ref: secretArn, Id: secretArn };
    }
    case 'AWS::ApiGatewayV2::Api':
      return { Ref: logicalId, ApiId: logicalId, ApiEndpoint: origins.gateway };
    case 'AWS::IAM::Role': {
      const name = own('RoleName') ?? logicalId;
      return { Ref: name, Arn: `arn:aws:iam::${ACCOUNT_ID}:role/${name}` };
    }
    case 'AWS::Logs::LogGroup':
      return { Ref: logicalId, Arn: arn('logs', `log-group:${logicalId}:*`) };
    case 'AWS::Events::Rule':
      return { Ref: logicalId, Arn: arn('events', `rule/${logicalId}`) };
    case 'AWS::CloudWatch::Alarm':
    case 'AWS::CloudWatch::CompositeAlarm': {
      const name = own('AlarmName') ?? logicalId;
      return { Ref: name, Arn: arn('cloudwatch', `alarm:${name}`) };
    }
    default:
      return { Ref: logicalId };
  }
}

/** What a policy names to let somebody call a route of the stage without a name. */
export function routeArn(apiId: string, method: string, path: string): string {
  return arn('execute-api', `${apiId}/$default/${method}${path}`);
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${resource}`;
}

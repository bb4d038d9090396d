import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Resource } from '../../infra/local/template.ts';
import { writeCode } from './stub-function.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** For the stubs' own AWS calls: their folder is not below the project's. */
const USE_SDK = `
  import { createRequire } from 'node:module';
  const require = createRequire(${JSON.stringify(path.join(ROOT, 'package.json'))});
  const { DynamoDBClient, PutItemCommand } = require('@aws-sdk/client-dynamodb');
  const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
  const { SecretsManagerClient, GetSecretValueCommand } = require('@aws-sdk/client-secrets-manager');
  const [dynamodb, sqs, secrets] = [new DynamoDBClient(), new SQSClient(), new SecretsManagerClient()];
  const put = (pk, value) => dynamodb.send(new PutItemCommand({
    TableName: process.env.TABLE_NAME, Item: { pk: { S: pk }, value: { S: value } },
  }));
`;

/** A webhook that queues its body; the secret it reads and the host it knows come back. */
const HOOK = `${USE_SDK}
  export const handler = async ({ body }) => {
    const MessageDeduplicationId = String(Math.random());
    await sqs.send(new SendMessageCommand({
      QueueUrl: process.env.QUEUE_URL, MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId,
    }));
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: process.env.SECRET_ARN }));
    return { statusCode: 202, body: JSON.stringify({ secret: SecretString, host: process.env.HOST_URL }) };
  };`;
/** Records what it handles; the first time it gets a message with "hang" it never ends. */
const WORKER = `${USE_SDK}
  export const handler = async ({ Records }) => {
    for (const { body, attributes } of Records) {
      const count = attributes.ApproximateReceiveCount;
      await put(body + ' ' + count, process.env.AWS_ACCESS_KEY_ID);
      if (body === 'hang' && count === '1') await new Promise(() => {});
    }
    return { batchItemFailures: [] };
  };`;
const TICK = `${USE_SDK} export const handler = ({ source }) => put('tick', source);`;

const getAtt = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });

function lambda(name: string, role: string, variables: Record<string, unknown>): Resource {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: { 'Fn::Sub': 'assets-${AWS::AccountId}' }, S3Key: `${name}.zip` },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      MemorySize: 256,
      Timeout: 60,
      Role: getAtt(role, 'Arn'),
      Environment: { Variables: variables },
    },
  };
}

function allow(Action: string | string[], Resource: unknown) {
  return { Effect: 'Allow', Action, Resource };
}

function role(Statement: unknown[]): Resource {
  return { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyName: 'Own', PolicyDocument: { Statement } }] } };
}

function resources(): Record<string, Resource> {
  const fifo = { FifoQueue: true, VisibilityTimeout: 360 };
  const table = { TABLE_NAME: { Ref: 'Table' } };
  const hook = { QUEUE_URL: { Ref: 'Queue' }, SECRET_ARN: { Ref: 'Secrets' }, HOST_URL: { Ref: 'ThreadHostUrl' } };
  return {
    Table: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        Replicas: [{ Region: { Ref: 'AWS::Region' } }],
      },
    },
    Dlq: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: { ...fifo, RedrivePolicy: { deadLetterTargetArn: getAtt('Dlq', 'Arn'), maxReceiveCount: 9 } },
    },
    Secrets: { Type: 'AWS::SecretsManager::Secret', Properties: { GenerateSecretString: {} } },
    Key: { Type: 'AWS::SecretsManager::Secret', Properties: { GenerateSecretString: {} } },
    HookRole: role([
      allow('sqs:SendMessage', getAtt('Queue', 'Arn')),
      allow('secretsmanager:GetSecretValue', { Ref: 'Secrets' }),
    ]),
    WorkerRole: role([
      allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], getAtt('Queue', 'Arn')),
      allow('dynamodb:PutItem', getAtt('Table', 'Arn')),
    ]),
    RunnerRole: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'Stub-runner-default' } },
    Hook: lambda('hook', 'HookRole', hook),
    Worker: lambda('worker', 'WorkerRole', table),
    Tick: lambda('tick', 'WorkerRole', table),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        BatchSize: 10,
        EventSourceArn: getAtt('Queue', 'Arn'),
        FunctionName: { Ref: 'Worker' },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'Api', ProtocolType: 'HTTP' } },
    Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId: { Ref: 'Api' }, StageName: '$default' } },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: { Ref: 'Api' },
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: getAtt('Hook', 'Arn'),
        PayloadFormatVersion: '2.0',
      },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        ApiId: { Ref: 'Api' },
        RouteKey: 'POST /hook',
        AuthorizationType: 'NONE',
        Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] },
      },
    },
    EveryMinute: {
      Type: 'AWS::Events::Rule',
      Properties: {
        ScheduleExpression: 'rate(1 minute)',
        State: 'ENABLED',
        Targets: [{ Arn: getAtt('Tick', 'Arn'), Id: 'Target0' }],
      },
    },
  };
}

/** An assembly as CDK writes one, with a small stack: webhook → queue → function → table, and a schedule. */
export function writeStubAssembly(folder: string, more: Record<string, Resource> = {}): string {
  const apiUrl = getAtt('Api', 'ApiEndpoint');
  const template = {
    Parameters: { ThreadHostUrl: { Type: 'String' } },
    Resources: { ...resources(), ...more },
    Outputs: {
      WebhookUrl: { Value: { 'Fn::Join': ['', [apiUrl, '/hook']] } },
      RunnerApiUrl: { Value: apiUrl },
      RunnerQueueUrls: { Value: { 'Fn::Join': ['', ['{"default":"', { Ref: 'Queue' }, '"}']] } },
      RunnerRoleArns: { Value: { 'Fn::Join': ['', ['{"default":"', getAtt('RunnerRole', 'Arn'), '"}']] } },
      ResolverQueueUrl: { Value: { Ref: 'Queue' } },
      ResolverDlqUrl: { Value: { Ref: 'Dlq' } },
      TableName: { Value: { Ref: 'Table' } },
      WebhookSecretsArn: { Value: { Ref: 'Secrets' } },
      ThreadHostKeyArn: { Value: { Ref: 'Key' } },
    },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'Stub.template.json'), JSON.stringify(template));
  for (const [name, code] of Object.entries({ hook: HOOK, worker: WORKER, tick: TICK })) {
    writeCode(path.join(folder, `asset.${name}`), code);
  }
  return folder;
}

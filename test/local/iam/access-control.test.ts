import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startDynamoDb } from '../../../infra/local/dynamodb-emulator.ts';
import type { Emulator } from '../../../infra/local/emulator.ts';
import { AccessControl } from '../../../infra/local/iam/access-control.ts';
import { principalsOf } from '../../../infra/local/iam/principals.ts';
import { nameResources, routeArn } from '../../../infra/local/resource-names.ts';
import { checkResources } from '../../../infra/local/resource-types.ts';
import { startSecretsManager } from '../../../infra/local/secrets-manager.ts';
import { startSqs } from '../../../infra/local/sqs-emulator.ts';
import { type Resource, Template } from '../../../infra/local/template.ts';

const REGION = 'us-east-1';
const OPERATOR = 'OPERATOR';
const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Table';
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:Queue';
const SECRET = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:Secret';
const getAtt = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });
const allow = (Action: string | string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
const lambda = (name: string, role: string): Resource => ({
  Type: 'AWS::Lambda::Function',
  Properties: { FunctionName: name, Role: getAtt(role, 'Arn') },
});
const policy = (role: string, ...Statement: unknown[]): Resource => ({
  Type: 'AWS::IAM::Policy',
  Properties: { PolicyDocument: { Statement }, Roles: [{ Ref: role }] },
});

/** `Fn` may read the table, send to the queue and read the secret; `Bare` nothing. */
function templateOf(more: Record<string, Resource> = {}): Template {
  const Resources = {
    Table: { Type: 'AWS::DynamoDB::GlobalTable' },
    Queue: { Type: 'AWS::SQS::Queue' },
    Secret: { Type: 'AWS::SecretsManager::Secret' },
    Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'reader' } },
    BareRole: { Type: 'AWS::IAM::Role' },
    RunnerRole: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'Stack-runner-default' } },
    OtherRole: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'Stack-runner-other' } },
    Reads: policy(
      'Role',
      allow(['dynamodb:GetItem', 'dynamodb:PutItem'], getAtt('Table', 'Arn')),
      allow('sqs:SendMessage', getAtt('Queue', 'Arn')),
      allow('secretsmanager:GetSecretValue', { Ref: 'Secret' }),
      allow(['logs:PutLogEvents', 'xray:PutTraceSegments'], '*'),
    ),
    MayRaise: policy('RunnerRole', allow('execute-api:Invoke', routeArn('Api', 'POST', '/v1/*/prompts'))),
    Fn: lambda('fn', 'Role'),
    Bare: lambda('bare', 'BareRole'),
    ...more,
  };
  const arns = ['{"default":"', getAtt('RunnerRole', 'Arn'), '","other":"', getAtt('OtherRole', 'Arn'), '"}'];
  const Outputs = { RunnerRoleArns: { Value: { 'Fn::Join': ['', arns] } } };
  const template = new Template(
    { Resources, Outputs },
    { region: REGION, accountId: '000000000000', stackName: 'Stack' },
  );
  nameResources(template, { gateway: 'http://127.0.0.1:1', sqs: 'http://127.0.0.1:2' });
  checkResources(template);
  return template;
}

const lines: string[] = [];
let access: AccessControl;
let emulators: { sqs: Emulator; dynamodb: Emulator; secrets: Emulator };
const clients: { destroy(): void }[] = [];

beforeAll(async () => {
  const guard: AccessControl['guard'] = (request) => access.guard(request);
  emulators = {
    sqs: await startSqs({ port: 0, region: REGION, guard }),
    dynamodb: await startDynamoDb({ port: 0, guard }),
    secrets: await startSecretsManager(0, new Map([[SECRET, 'hush']]), guard),
  };
  admit(templateOf());
  const { sqs, dynamodb } = as(OPERATOR);
  await sqs.send(new CreateQueueCommand({ QueueName: 'Queue' }));
  const AttributeDefinitions = [{ AttributeName: 'pk', AttributeType: 'S' as const }];
  const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' as const }];
  const table = { TableName: 'Table', AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' as const };
  await dynamodb.send(new CreateTableCommand(table));
});
beforeEach(() => admit(templateOf()));
afterAll(async () => {
  for (const client of clients) client.destroy();
  for (const { stop } of Object.values(emulators)) await stop();
});

function admit(template: Template): void {
  lines.length = 0;
  access = new AccessControl(OPERATOR, (source, line) => lines.push(`${source} ${line}`));
  access.admit(principalsOf(template));
}

function as(accessKeyId: string) {
  const client = { region: REGION, credentials: { accessKeyId, secretAccessKey: 's' }, maxAttempts: 1 };
  const made = {
    sqs: new SQSClient({ ...client, endpoint: emulators.sqs.url }),
    dynamodb: new DynamoDBClient({ ...client, endpoint: emulators.dynamodb.url }),
    secrets: new SecretsManagerClient({ ...client, endpoint: emulators.secrets.url }),
  };
  clients.push(...Object.values(made));
  return made;
}

const QueueUrl = () => `${emulators.sqs.url}/000000000000/Queue`;
const getItem = new GetItemCommand({ TableName: 'Table', Key: { pk: { S: 'x' } } });
const readSecret = new GetSecretValueCommand({ SecretId: SECRET });
const send = () => new SendMessageCommand({ QueueUrl: QueueUrl(), MessageBody: 'm' });
const sendBatch = () => new SendMessageBatchCommand({ QueueUrl: QueueUrl(), Entries: [{ Id: '1', MessageBody: 'm' }] });

it('lets a function do what its role grants, and counts what was never needed', async () => {
  const { sqs, dynamodb, secrets } = as('Fn');
  expect(access.unusedGrants()).toEqual([
    `Fn: dynamodb:GetItem on ${TABLE}`,
    `Fn: dynamodb:PutItem on ${TABLE}`,
    `Fn: sqs:SendMessage on ${QUEUE}`,
    `Fn: secretsmanager:GetSecretValue on ${SECRET}`,
  ]);
  await dynamodb.send(getItem);
  expect((await sqs.send(sendBatch())).Successful).toHaveLength(1);
  expect((await secrets.send(readSecret)).SecretString).toBe('hush');
  expect(access.unusedGrants()).toEqual([`Fn: dynamodb:PutItem on ${TABLE}`]);
  expect(lines).toEqual([]);
});

const bare = 'User: arn:aws:sts::000000000000:assumed-role/BareRole/bare is not authorized to perform:';

it('refuses as each service does what the role does not grant, and logs it', async () => {
  const { sqs, dynamodb, secrets } = as('Bare');
  const told = {
    dynamodb: `${bare} dynamodb:GetItem on resource: ${TABLE} because no identity-based policy allows the dynamodb:GetItem action`,
    sqs: `${bare} sqs:sendmessage on resource: ${QUEUE} because no identity-based policy allows the sqs:sendmessage action`,
    secrets: `${bare} secretsmanager:GetSecretValue on resource: ${SECRET} because no identity-based policy allows the secretsmanager:GetSecretValue action`,
  };
  await expect(dynamodb.send(getItem)).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: told.dynamodb,
    $metadata: { httpStatusCode: 400 },
  });
  await expect(sqs.send(send())).rejects.toMatchObject({
    name: 'AccessDenied',
    message: told.sqs,
    $metadata: { httpStatusCode: 403 },
  });
  await expect(secrets.send(readSecret)).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: told.secrets,
    $metadata: { httpStatusCode: 400 },
  });
  expect(lines).toEqual(Object.values(told).map((message) => `Bare AccessDenied: ${message}`));
});

it('looks at the index that is queried, not at its table', async () => {
  const query = { TableName: 'Table', IndexName: 'i', KeyConditionExpression: 'a = b' };
  const { dynamodb } = as('Fn');
  await expect(dynamodb.send(new QueryCommand(query))).rejects.toThrow(`dynamodb:Query on resource: ${TABLE}/index/i`);
});

it('nothing that was refused has happened', async () => {
  const put = new PutItemCommand({ TableName: 'Table', Item: { pk: { S: 'put' } } });
  await expect(as('Bare').dynamodb.send(put)).rejects.toThrow('not authorized');
  const read = new GetItemCommand({ TableName: 'Table', Key: { pk: { S: 'put' } } });
  expect((await as(OPERATOR).dynamodb.send(read)).Item).toBe(undefined);
});

it('refuses a key that nobody has', async () => {
  const { sqs, dynamodb, secrets } = as('NOBODY');
  const message = 'The security token included in the request is invalid.';
  await expect(dynamodb.send(getItem)).rejects.toMatchObject({ name: 'UnrecognizedClientException', message });
  await expect(sqs.send(send())).rejects.toMatchObject({ name: 'InvalidClientTokenId', message });
  await expect(secrets.send(readSecret)).rejects.toMatchObject({ name: 'UnrecognizedClientException', message });
  const unsigned = await fetch(emulators.sqs.url, { method: 'POST' });
  expect(unsigned.status).toBe(403);
});

it("a queue's own denial outweighs a role's grant", async () => {
  const Statement = [{ Effect: 'Deny', Action: 'sqs:*', Resource: getAtt('Queue', 'Arn'), Principal: '*' }];
  const Properties = { PolicyDocument: { Statement }, Queues: [{ Ref: 'Queue' }] };
  admit(templateOf({ Denial: { Type: 'AWS::SQS::QueuePolicy', Properties } }));
  await expect(as('Fn').sqs.send(send())).rejects.toThrow('with an explicit deny in a resource-based policy');
});

it('at the gateway a runner is its role, and the operator the default one', () => {
  const route = (path: string) => routeArn('Api', 'POST', path);
  const arn = 'arn:aws:sts::000000000000:assumed-role/Stack-runner-default/local';
  expect(access.callerOf(OPERATOR, route('/v1/t/prompts'))).toMatchObject({ arn });
  expect(access.callerOf('Stack-runner-default', route('/v1/t/prompts'))).toMatchObject({ arn });
  expect(access.callerOf(OPERATOR, route('/v1/t/attach'))).toBe(undefined);
  for (const key of ['Stack-runner-other', 'Fn', 'NOBODY']) {
    expect(access.callerOf(key, route('/v1/t/prompts'))).toBe(undefined);
  }
});

it.each<[string, Record<string, Resource>]>([
  [
    'Role: AWS::IAM::Role ManagedPolicyArns is not supported',
    { Role: { Type: 'AWS::IAM::Role', Properties: { ManagedPolicyArns: ['x'] } } },
  ],
  [
    'Role: AWS::IAM::Role PermissionsBoundary is not supported',
    { Role: { Type: 'AWS::IAM::Role', Properties: { PermissionsBoundary: 'x' } } },
  ],
  ['More: the type AWS::IAM::ManagedPolicy is not supported', { More: { Type: 'AWS::IAM::ManagedPolicy' } }],
  ['Of: AWS::IAM::Policy Users is not supported', { Of: { Type: 'AWS::IAM::Policy', Properties: { Users: ['x'] } } }],
  ['Odd: NotAction in a statement is not supported', { Odd: policy('Role', { Effect: 'Allow', NotAction: 'x:Y' }) }],
])('stops the start: %s', (message, more) => {
  expect(() => principalsOf(templateOf(more))).toThrow(message);
});

it('costs a call with a slot of 8 KB under 0.3 ms', () => {
  const text = JSON.stringify({
    TableName: 'Table',
    Item: { body: { S: JSON.stringify({ slot: 'x'.repeat(8000) }) } },
  });
  const authorization = 'AWS4-HMAC-SHA256 Credential=Fn/20261201/us-east-1/dynamodb/aws4_request, …';
  const request = { authorization, target: 'DynamoDB_20120810.PutItem', body: () => JSON.parse(text) };
  const began = performance.now();
  for (let n = 0; n < 1000; n++) access.guard(request);
  expect((performance.now() - began) / 1000).toBeLessThan(0.3);
});

import { expect, it } from 'vitest';
import { nameResources } from '../../infra/local/resource-names.ts';
import { checkResources, expectOneOf } from '../../infra/local/resource-types.ts';
import { Template, type TemplateJson } from '../../infra/local/template.ts';

const ENVIRONMENT = { region: 'us-east-1', accountId: '000000000000', stackName: 'Stack' };
const ORIGINS = { gateway: 'http://127.0.0.1:1', sqs: 'http://127.0.0.1:2' };

function templateOf(json: TemplateJson, parameters: Record<string, string> = {}): Template {
  const template = new Template(json, ENVIRONMENT, parameters);
  nameResources(template, ORIGINS);
  return template;
}

/** The value of an intrinsic, in a template with a FIFO queue, a table, a parameter and a condition. */
function resolved(value: unknown): unknown {
  const template = templateOf(
    {
      Resources: {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
        Table: { Type: 'AWS::DynamoDB::GlobalTable' },
        Subject: { Type: 'AWS::CDK::Metadata', Properties: { value } },
      },
      Parameters: { Url: { Type: 'String' }, Size: { Type: 'Number', Default: 7 } },
      Conditions: {
        IsHere: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] },
        IsAway: { 'Fn::Not': [{ Condition: 'IsHere' }] },
        Both: { 'Fn::And': [{ Condition: 'IsHere' }, { Condition: 'IsAway' }] },
        Either: { 'Fn::Or': [{ Condition: 'IsAway' }, { Condition: 'IsHere' }] },
      },
    },
    { Url: 'http://host' },
  );
  return template.property('Subject', 'value');
}

it.each([
  [{ Ref: 'Queue' }, 'http://127.0.0.1:2/000000000000/Queue.fifo'],
  [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:Queue.fifo'],
  [{ 'Fn::GetAtt': 'Table.Arn' }, 'arn:aws:dynamodb:us-east-1:000000000000:table/Table'],
  [{ Ref: 'Url' }, 'http://host'],
  [{ Ref: 'Size' }, '7'],
  [{ 'Fn::Join': ['', ['{"a":"', { Ref: 'Queue' }, '"}']] }, '{"a":"http://127.0.0.1:2/000000000000/Queue.fifo"}'],
  [{ 'Fn::Select': [1, { 'Fn::Split': ['://', { Ref: 'Url' }] }] }, 'host'],
  [{ 'Fn::Sub': '${AWS::Region} ${Table} ${Queue.QueueName} ${!kept}' }, 'us-east-1 Table Queue.fifo ${kept}'],
  [{ 'Fn::Sub': ['${x}/${Table}', { x: { Ref: 'Url' } }] }, 'http://host/Table'],
  [{ 'Fn::If': ['IsHere', 'yes', 'no'] }, 'yes'],
  [{ 'Fn::If': ['Both', 'yes', 'no'] }, 'no'],
  [{ 'Fn::If': ['Either', 'yes', 'no'] }, 'yes'],
  [{ a: { Ref: 'AWS::NoValue' }, b: [{ Ref: 'AWS::NoValue' }, 1] }, { b: [1] }],
])('%j is %j', (value, expected) => {
  expect(resolved(value)).toEqual(expected);
});

it.each([
  [{ 'Fn::ImportValue': 'x' }, 'Subject: Fn::ImportValue is not supported by the local stack'],
  [{ Ref: 'Nothing' }, 'Subject: Nothing.Ref (no resource of this template) has no value in the local stack'],
  [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }, 'Subject: Table.StreamArn (AWS::DynamoDB::GlobalTable) has no value'],
  [{ 'Fn::Select': [3, ['a']] }, 'Subject: Fn::Select selects what is not there'],
  [{ 'Fn::If': ['Unknown', 1, 2] }, 'Subject: the condition Unknown is not defined'],
])('%j is refused by name', (value, message) => {
  expect(() => resolved(value)).toThrow(message);
});

it('leaves out a resource whose condition does not hold', () => {
  const template = templateOf({
    Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
    Resources: { Gone: { Type: 'AWS::Unknown::Thing', Condition: 'Never' } },
  });
  expect(() => checkResources(template)).not.toThrow();
  expect([...template.resources]).toEqual([]);
});

it.each<[string, TemplateJson]>([
  ['Bucket: the type AWS::S3::Bucket is not supported', { Resources: { Bucket: { Type: 'AWS::S3::Bucket' } } }],
  [
    'Fn: AWS::Lambda::Function VpcConfig is not supported',
    { Resources: { Fn: { Type: 'AWS::Lambda::Function', Properties: { VpcConfig: {} } } } },
  ],
  [
    'Esm: AWS::Lambda::EventSourceMapping FilterCriteria is not supported',
    { Resources: { Esm: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { FilterCriteria: {} } } } },
  ],
  [
    'Queue: CreationPolicy is not supported',
    { Resources: { Queue: { Type: 'AWS::SQS::Queue', CreationPolicy: {} } as never } },
  ],
])('refuses: %s', (message, json) => {
  expect(() => checkResources(templateOf(json))).toThrow(message);
});

it('refuses a section, a parameter without a value and a value of a property that it does not follow', () => {
  expect(() => templateOf({ Transform: 'AWS::Serverless' })).toThrow('Transform: this section');
  expect(() => templateOf({}, { Url: 'x' })).toThrow('Url: the template has no such parameter');
  const resources = { Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'WEBSOCKET' } } };
  const template = templateOf({ Resources: resources });
  expect(() => expectOneOf(template, 'Api', 'ProtocolType', ['HTTP'])).toThrow('Api: ProtocolType "WEBSOCKET"');
});

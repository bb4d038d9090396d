import { describe, expect, it } from 'vitest';
import { judge, type Rule, rulesOf } from '../../../infra/local/iam/policy.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Prompts';
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:Items.fifo';
const call = { action: 'dynamodb:GetItem', resource: TABLE };

type Statement = Record<string, unknown>;

const allow = (Action: unknown, Resource: unknown, more: Statement = {}): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
const deny = (Action: unknown, Resource: unknown, more: Statement = {}): Statement => ({
  ...allow(Action, Resource, more),
  Effect: 'Deny',
});
const rules = (...Statement: Statement[]): Rule[] => rulesOf({ Statement }, 'identity-based', 'Policy');
const onQueue = (...Statement: Statement[]): Rule[] => rulesOf({ Statement }, 'resource-based', 'QueuePolicy');

describe('lets pass', () => {
  it.each<[string, Statement[]]>([
    ['the action on the resource', [allow('dynamodb:GetItem', TABLE)]],
    ['one of several actions and resources', [allow(['dynamodb:Query', 'dynamodb:GetItem'], [QUEUE, TABLE])]],
    ['an action in other letters', [allow('DynamoDB:getitem', TABLE)]],
    ['an action by its wildcard', [allow('dynamodb:Get*', TABLE)]],
    ['an action by a question mark', [allow('dynamodb:?etItem', TABLE)]],
    ['every action', [allow('*', TABLE)]],
    ['every resource', [allow('dynamodb:GetItem', '*')]],
    ['a resource by its wildcard, over slashes', [allow('dynamodb:GetItem', TABLE.replace('table/Prompts', '*'))]],
    ['what a second statement allows', [allow('dynamodb:Query', TABLE), allow('dynamodb:GetItem', TABLE)]],
    ['what a denial of something else leaves', [allow('*', '*'), deny('dynamodb:PutItem', TABLE)]],
    [
      'a call over TLS, as those here count',
      [allow('*', '*', { Condition: { Bool: { 'aws:SecureTransport': true } } })],
    ],
    [
      'what is denied without TLS alone',
      [allow('*', '*'), deny('*', '*', { Condition: { Bool: { 'aws:securetransport': 'false' } } })],
    ],
  ])('%s', (_name, statements) => {
    expect(judge(rules(...statements), call).allowed).toBe(true);
  });
});

const NOBODY_ALLOWS = 'because no identity-based policy allows the dynamodb:GetItem action';
const DENIED = 'with an explicit deny in an identity-based policy';

describe('refuses', () => {
  it.each<[string, Statement[], string]>([
    ['what no statement allows', [], NOBODY_ALLOWS],
    ['another action', [allow('dynamodb:GetItems', TABLE), allow('dynamodb:Get', TABLE)], NOBODY_ALLOWS],
    ['another resource', [allow('dynamodb:GetItem', `${TABLE}2`)], NOBODY_ALLOWS],
    ['a resource in other letters', [allow('dynamodb:GetItem', TABLE.replace('Prompts', 'prompts'))], NOBODY_ALLOWS],
    ['an index of the table alone', [allow('dynamodb:GetItem', `${TABLE}/index/*`)], NOBODY_ALLOWS],
    ['what a dot or a bracket would match', [allow('dynamodb:GetItem', TABLE.replace('P', '.'))], NOBODY_ALLOWS],
    [
      'a condition that does not hold',
      [allow('*', '*', { Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
      NOBODY_ALLOWS,
    ],
    ['a denial, whatever else allows it', [allow('*', '*'), deny('dynamodb:*', TABLE)], DENIED],
    ['a denial that comes first', [deny('dynamodb:*', '*'), allow('dynamodb:GetItem', TABLE)], DENIED],
  ])('%s', (_name, statements, because) => {
    expect(judge(rules(...statements), call)).toEqual({ allowed: false, because });
  });

  it("a denial by the resource's own policy", () => {
    const all = [...rules(allow('*', '*')), ...onQueue(deny('sqs:*', QUEUE, { Principal: { AWS: '*' } }))];
    expect(judge(all, { action: 'sqs:sendmessage', resource: QUEUE })).toEqual({
      allowed: false,
      because: 'with an explicit deny in a resource-based policy',
    });
    expect(judge(all, call).allowed).toBe(true);
  });
});

it('says which grants let a call pass: each pair of action and resource is one', () => {
  const verdict = judge(
    rules(allow(['dynamodb:GetItem', 'dynamodb:Query'], [TABLE, QUEUE]), allow('dynamodb:*', '*')),
    call,
  );
  const by = verdict.allowed ? verdict.by.map(({ action, resource }) => [action, resource]) : [];
  expect(by).toEqual([
    ['dynamodb:GetItem', TABLE],
    ['dynamodb:*', '*'],
  ]);
});

describe('a statement that is not evaluated here stops the start', () => {
  it.each<[string, Statement]>([
    ['NotAction in a statement', { Effect: 'Allow', NotAction: 'x:Y', Resource: '*' }],
    ['NotResource in a statement', { Effect: 'Allow', Action: 'x:Y', NotResource: '*' }],
    ['Principal in a statement', allow('x:Y', '*', { Principal: '*' })],
    ['Effect "allow"', { ...allow('x:Y', '*'), Effect: 'allow' }],
    ['Action "GetItem"', allow('GetItem', '*')],
    ['Action undefined', allow(undefined, '*')],
    ['Action []', allow([], '*')],
    ['Resource [{"Ref":"x"}]', allow('x:Y', [{ Ref: 'x' }])],
    ['Resource "Prompts"', allow('x:Y', 'Prompts')],
    ['Resource "arn:aws:*:us-east-1:0:x"', allow('x:Y', 'arn:aws:*:us-east-1:0:x')],
    ['Resource "arn:aws:s3:::${aws:username}"', allow('x:Y', 'arn:aws:s3:::${aws:username}')],
    [
      'the condition StringEquals',
      allow('x:Y', '*', { Condition: { StringEquals: { 'aws:SecureTransport': 'true' } } }),
    ],
    ['the condition aws:ViaAWSService', allow('x:Y', '*', { Condition: { Bool: { 'aws:ViaAWSService': 'true' } } })],
  ])('%s', (what, statement) => {
    expect(() => rules(statement)).toThrow(`Policy: ${what} `);
    expect(() => rules(statement)).toThrow('is not supported by the local stack');
  });

  it.each<[string, Statement]>([
    ['Effect "Allow" for "*"', allow('sqs:*', QUEUE, { Principal: '*' })],
    ['Effect "Deny" for {"Service":"x"}', deny('sqs:*', QUEUE, { Principal: { Service: 'x' } })],
  ])("of a resource's policy: %s", (what, statement) => {
    expect(() => onQueue(statement)).toThrow(`QueuePolicy: ${what} in a resource's policy is not supported`);
  });
});

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { createTable } from '../support/dynamodb.ts';
import { readable, synthesize } from './synthesized-stack.ts';

const stack = synthesize({ runners: { default: {}, research: {} } });
const DAYS_14 = 14 * 24 * 3600;
const QUEUES = ['ResolverThreadItems', 'RunnerQueuesdefaultrunner', 'RunnerQueuesresearchrunner'];

describe('the table', () => {
  const { Properties: table, DeletionPolicy } = stack.named('PromptsTable');

  test('outlives the stack, cannot be deleted by mistake, and can be restored to any second', () => {
    expect(DeletionPolicy).toBe('Retain');
    expect(table.Replicas).toHaveLength(1);
    expect(table.Replicas[0]).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  test('costs by use and forgets receipts only', () => {
    expect(table.BillingMode).toBe('PAY_PER_REQUEST');
    expect(table.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
  });

  test('has the keys and the index that the store is tested on', async () => {
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = await tableOfTheStoreTests();
    expect(table.AttributeDefinitions).toEqual(AttributeDefinitions);
    expect(table.KeySchema).toEqual(KeySchema);
    expect(table.GlobalSecondaryIndexes).toEqual(GlobalSecondaryIndexes);
  });
});

describe('the queues', () => {
  test('are those of the resolver and of each runner, each with its dead-letter queue', () => {
    const names = QUEUES.flatMap((name) => [`${name}Dlq`, `${name}Queue`]);
    expect(stack.ofType('AWS::SQS::Queue')).toHaveLength(names.length);
    for (const name of names) expect(stack.named(name).Type).toBe('AWS::SQS::Queue');
  });

  test.each(QUEUES.flatMap((name) => [`${name}Dlq`, `${name}Queue`]))('%s', (name) => {
    const { Properties, DeletionPolicy } = stack.named(name);
    expect(Properties).toMatchObject({
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      MessageRetentionPeriod: DAYS_14,
      MaximumMessageSize: 1024 * 1024,
      SqsManagedSseEnabled: true,
    });
    // A name of ours would block a replacement of what is retained.
    expect(Properties).not.toHaveProperty('QueueName');
    expect(DeletionPolicy).toBe('Retain');
    expect(policyOf(name)).toMatchObject([
      { Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ]);
  });

  test.each(QUEUES)('%s retries for longer than a dead thread host lasts', (name) => {
    const { RedrivePolicy } = stack.named(`${name}Queue`).Properties;
    expect(readable(RedrivePolicy.deadLetterTargetArn)).toBe(`${name}Dlq`);
    expect(RedrivePolicy.maxReceiveCount).toBe(1000);
  });

  test('a thread item stays invisible for six times as long as the resolver may take', () => {
    const { Timeout } = stack.named('ResolverResolveFunction').Properties;
    expect(Timeout).toBe(30);
    expect(stack.named('ResolverThreadItemsQueue').Properties.VisibilityTimeout).toBe(6 * Timeout);
  });
});

test('the secrets outlive the stack and their values are not in the template', () => {
  const secrets = stack.ofType('AWS::SecretsManager::Secret');
  expect(secrets).toHaveLength(2);
  for (const { Properties, DeletionPolicy } of secrets) {
    expect(DeletionPolicy).toBe('Retain');
    expect(Properties).not.toHaveProperty('SecretString');
  }
});

test('a throw-away stage is a stack beside the other one and leaves nothing behind', () => {
  const trial = synthesize({ removal: 'destroy' }, 'trial');
  expect([stack.stackName, trial.stackName]).toEqual(['InteractivePrompts', 'InteractivePrompts-trial']);
  expect(trial.named('PromptsTable').Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
  expect(Object.values(trial.resources).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain')).toEqual([]);
});

function policyOf(queue: string) {
  const policies = stack.ofType('AWS::SQS::QueuePolicy');
  const found = policies.find(({ Properties }) => readable(Properties.Queues[0]) === queue);
  return found?.Properties.PolicyDocument.Statement;
}

async function tableOfTheStoreTests() {
  const sent: { input: Record<string, unknown> }[] = [];
  const send = async (command: { input: Record<string, unknown> }) => {
    sent.push(command);
    return { Table: { TableStatus: 'ACTIVE' } };
  };
  await createTable({ send } as unknown as DynamoDBClient, 'table');
  return sent[0]?.input ?? {};
}

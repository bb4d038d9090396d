import { describe, expect, test } from 'vitest';
import { readStage } from '../../infra/config.ts';
import { synthesize } from './synthesized-stack.ts';

/**
 * What a deployment would do to a stack that is there. A change of these lines is a decision: with another logical id, or
 * another of these properties, CloudFormation makes a new resource, and what people wrote stays behind in the old one.
 */
const REPLACING: Record<string, string[]> = {
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'BillingMode'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::SecretsManager::Secret': ['Name'],
};

test('no update replaces the table, a queue or a secret', () => {
  const stack = synthesize();
  const stateful = Object.entries(stack.resources).flatMap(([id, { Type, Properties }]) => {
    const names = REPLACING[Type];
    return names ? [[id, Object.fromEntries(names.map((name) => [name, Properties[name]]))]] : [];
  });
  expect(Object.fromEntries(stateful)).toMatchInlineSnapshot(`
    {
      "PromptsTableC4A1796F": {
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [
          {
            "AttributeName": "pk",
            "KeyType": "HASH",
          },
          {
            "AttributeName": "sk",
            "KeyType": "RANGE",
          },
        ],
        "LocalSecondaryIndexes": undefined,
        "TableName": undefined,
      },
      "ResolverThreadItemsDlq30EE271D": {
        "FifoQueue": true,
        "QueueName": undefined,
      },
      "ResolverThreadItemsQueue9672DE2A": {
        "FifoQueue": true,
        "QueueName": undefined,
      },
      "RunnerQueuesdefaultrunnerDlq96927EAA": {
        "FifoQueue": true,
        "QueueName": undefined,
      },
      "RunnerQueuesdefaultrunnerQueue3487BC1F": {
        "FifoQueue": true,
        "QueueName": undefined,
      },
      "SecretsThreadHostKeyB6B625DA": {
        "Name": undefined,
      },
      "SecretsWebhookSecrets0AA38DCF": {
        "Name": undefined,
      },
    }
  `);
});

describe.each(['prod', 'trial'])('the stage %s', (stage) => {
  test('has the template that was looked at; `npx vitest run test/infra/updates.test.ts -u` takes a new one', async () => {
    const { name, ...settings } = readStage(stage);
    const { json } = synthesize(settings, name);
    // What is in a function's bundle is not the template's matter.
    const text = JSON.stringify(json, null, 1).replace(/[0-9a-f]{64}/g, '<digest of the bundle>');
    await expect(`${text}\n`).toMatchFileSnapshot(`templates/${stage}.snap`);
  });
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';

export type TestTable = { client: DynamoDBClient; name: string; stop: () => Promise<void> };

/** The table of the stack on an embedded DynamoDB, one server per test file. */
export async function startTable(): Promise<TestTable> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const name = await createTable(client);
  return {
    client,
    name,
    stop: async () => {
      client.destroy();
      server.close();
    },
  };
}

export function clientOf(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
}

/** The keys and the index of infra's table construct; the template test holds the two together. */
export async function createTable(client: DynamoDBClient, TableName = `prompts-${crypto.randomUUID()}`) {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'work', AttributeType: 'S' },
        { AttributeName: 'due_at', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'work',
          KeySchema: [
            { AttributeName: 'work', KeyType: 'HASH' },
            { AttributeName: 'due_at', KeyType: 'RANGE' },
          ],
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: ['thread', 'unnotified_since', 'unaudited_since'],
          },
        },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.05, maxDelay: 0.2 } as never, { TableName });
  return TableName;
}

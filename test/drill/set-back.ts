import { DynamoDBClient, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { World } from '../local/world.ts';

/** Makes what is in a work list of the table as old as if it had waited. @returns how many records there were */
export async function setBack({ stack }: World, list: string, byMs: number): Promise<number> {
  const { aws, table_name: TableName } = stack.addresses;
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const dynamodb = new DynamoDBClient({ region: aws.region, endpoint: aws.dynamodb_endpoint, credentials });
  try {
    const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName }));
    const listed = Items.filter(({ work }) => work?.S === list);
    for (const { pk, sk, due_at } of listed) {
      const since = String(Number(due_at?.N) - byMs);
      await dynamodb.send(
        new UpdateItemCommand({
          TableName,
          Key: { pk: pk ?? { S: '' }, sk: sk ?? { S: '' } },
          UpdateExpression: 'SET due_at = :since',
          ExpressionAttributeValues: { ':since': { N: since } },
        }),
      );
    }
    return listed.length;
  } finally {
    dynamodb.destroy();
  }
}

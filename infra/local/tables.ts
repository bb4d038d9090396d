import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { TemplateError } from './intrinsics.ts';
import { expectOneOf } from './resource-types.ts';
import type { Template } from './template.ts';

const TYPE = 'AWS::DynamoDB::GlobalTable';

/** Creates the template's tables, where an earlier run has not left them. */
export async function createTables(template: Template, dynamodb: DynamoDBClient): Promise<void> {
  await Promise.all(template.ofType(TYPE).map((logicalId) => createTable(template, logicalId, dynamodb)));
}

async function createTable(template: Template, logicalId: string, dynamodb: DynamoDBClient): Promise<void> {
  expectOneOf(template, logicalId, 'BillingMode', ['PAY_PER_REQUEST']);
  const input = {
    TableName: template.attribute(logicalId, 'Ref', logicalId),
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: template.property(logicalId, 'AttributeDefinitions'),
    KeySchema: template.property(logicalId, 'KeySchema'),
    GlobalSecondaryIndexes: template.property(logicalId, 'GlobalSecondaryIndexes'),
  } as CreateTableCommandInput;
  try {
    await dynamodb.send(new CreateTableCommand(input));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await untilActive(dynamodb, logicalId, input);
}

async function untilActive(dynamodb: DynamoDBClient, logicalId: string, input: CreateTableCommandInput): Promise<void> {
  for (;;) {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: input.TableName }));
    if (Table && shapeOf(Table) !== shapeOf(input)) {
      throw new TemplateError(
        logicalId,
        'the data folder holds this table with other keys or indexes: remove the folder',
      );
    }
    if (Table?.TableStatus === 'ACTIVE') return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What cannot change in a table that is there. */
function shapeOf({ KeySchema, GlobalSecondaryIndexes = [] }: TableDescription | CreateTableCommandInput): string {
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema: keys, Projection }) => [
    IndexName,
    keys?.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]),
    Projection?.ProjectionType,
    Projection?.NonKeyAttributes,
  ]);
  return JSON.stringify([KeySchema?.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]), indexes.sort()]);
}

import { ACCOUNT_ID, REGION } from '../resource-names.ts';
import type { Call } from './policy.ts';

type Body = Readonly<Record<string, unknown>>;

/** `X-Amz-Target` names the service in its own way. */
const SERVICES: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  secretsmanager: 'secretsmanager',
};

/** What a request over AWS's JSON protocols asks permission for: one call for each resource that it names. */
export function callsOf(target: string, body: unknown): Call[] {
  const [prefix = '', operation = ''] = target.split('.');
  const service = SERVICES[prefix] ?? prefix;
  const action = service === 'sqs' ? sqsAction(operation) : `${service}:${operation}`;
  const named = resourcesOf(service, (body ?? {}) as Body);
  // What names no resource, such as ListTables, is only allowed on all of them.
  return (named.length > 0 ? named : ['*']).map((resource) => ({ action, resource }));
}

/** A batch needs the permission of the single call. SQS names actions in lower case when it refuses them. */
function sqsAction(operation: string): string {
  return `sqs:${operation.replace(/Batch$/, '').toLowerCase()}`;
}

function resourcesOf(service: string, body: Body): string[] {
  switch (service) {
    case 'dynamodb': {
      const { TableName, IndexName, RequestItems } = body;
      const index = IndexName === undefined ? '' : `/index/${IndexName}`;
      const tables = TableName === undefined ? Object.keys(RequestItems ?? {}) : [`${TableName}${index}`];
      return tables.map((table) => `arn:aws:dynamodb:${REGION}:${ACCOUNT_ID}:table/${table}`);
    }
    case 'sqs': {
      const name = body.QueueName ?? (body.QueueUrl && String(body.QueueUrl).split('/').at(-1));
      return name === undefined ? [] : [`arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${name}`];
    }
    case 'secretsmanager':
      return body.SecretId === undefined ? [] : [String(body.SecretId)];
    default:
      return [];
  }
}

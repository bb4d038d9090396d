import { expect, it } from 'vitest';
import { callsOf } from '../../../infra/local/iam/aws-call.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table';
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:q.fifo';
const QueueUrl = 'http://127.0.0.1:4749/000000000000/q.fifo';

it.each<[string, unknown, [action: string, resource: string][]]>([
  ['DynamoDB_20120810.GetItem', { TableName: 'T' }, [['dynamodb:GetItem', `${TABLE}/T`]]],
  ['DynamoDB_20120810.Query', { TableName: 'T', IndexName: 'work' }, [['dynamodb:Query', `${TABLE}/T/index/work`]]],
  [
    'DynamoDB_20120810.BatchGetItem',
    { RequestItems: { A: {}, B: {} } },
    [
      ['dynamodb:BatchGetItem', `${TABLE}/A`],
      ['dynamodb:BatchGetItem', `${TABLE}/B`],
    ],
  ],
  ['DynamoDB_20120810.BatchWriteItem', { RequestItems: { A: [] } }, [['dynamodb:BatchWriteItem', `${TABLE}/A`]]],
  ['DynamoDB_20120810.ListTables', {}, [['dynamodb:ListTables', '*']]],
  ['AmazonSQS.SendMessage', { QueueUrl }, [['sqs:sendmessage', QUEUE]]],
  ['AmazonSQS.SendMessageBatch', { QueueUrl }, [['sqs:sendmessage', QUEUE]]],
  ['AmazonSQS.DeleteMessageBatch', { QueueUrl }, [['sqs:deletemessage', QUEUE]]],
  ['AmazonSQS.ChangeMessageVisibilityBatch', { QueueUrl }, [['sqs:changemessagevisibility', QUEUE]]],
  ['AmazonSQS.GetQueueUrl', { QueueName: 'q.fifo' }, [['sqs:getqueueurl', QUEUE]]],
  ['AmazonSQS.ListQueues', {}, [['sqs:listqueues', '*']]],
  ['secretsmanager.GetSecretValue', { SecretId: 'arn:x' }, [['secretsmanager:GetSecretValue', 'arn:x']]],
  ['undefined', undefined, [['undefined:', '*']]],
])('%s of %j', (target, body, calls) => {
  expect(callsOf(target, body)).toEqual(calls.map(([action, resource]) => ({ action, resource })));
});

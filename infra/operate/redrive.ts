import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

const MESSAGES_AT_ONCE = 10;

/**
 * Puts the messages of a dead-letter queue back to where they came from, in the order of each thread; what comes in
 * meanwhile is not waited for. A message is deleted here only after it is there: cut off in between it is there twice, and
 * the second one does nothing new.
 * @returns how many
 */
export async function redrive(sqs: SQSClient, from: string, to: string): Promise<number> {
  let left = await waiting(sqs, from);
  let moved = 0;
  while (left > 0) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: from,
        MaxNumberOfMessages: MESSAGES_AT_ONCE,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    );
    if (Messages.length === 0) return moved;
    for (const { Body, MessageId, ReceiptHandle, Attributes } of Messages) {
      const names = { MessageGroupId: Attributes?.MessageGroupId, MessageDeduplicationId: `redrive-${MessageId}` };
      await sqs.send(new SendMessageCommand({ QueueUrl: to, MessageBody: Body, ...names }));
      await sqs.send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle }));
      moved++;
      left--;
    }
  }
  return moved;
}

async function waiting(sqs: SQSClient, QueueUrl: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
}

import { CreateQueueCommand, QueueNameExists, SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Template } from './template.ts';

const TYPE = 'AWS::SQS::Queue';
const ATTRIBUTES = [
  'FifoQueue',
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'FifoThroughputLimit',
  'DelaySeconds',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
];

/** Creates the template's queues, or brings those of an earlier run to what the template says now. */
export async function createQueues(template: Template, sqs: SQSClient): Promise<void> {
  const ids = template.ofType(TYPE);
  const hasDeadLetters = (logicalId: string) => template.property(logicalId, 'RedrivePolicy') !== undefined;
  // Dead-letter queues first: SQS refuses a redrive policy whose target is not there.
  await Promise.all(ids.filter((id) => !hasDeadLetters(id)).map((id) => createQueue(template, id, sqs)));
  await Promise.all(ids.filter(hasDeadLetters).map((id) => createQueue(template, id, sqs)));
}

async function createQueue(template: Template, logicalId: string, sqs: SQSClient): Promise<void> {
  const Attributes = attributesOf(template, logicalId);
  const QueueName = template.attribute(logicalId, 'QueueName', logicalId);
  try {
    await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  } catch (error) {
    if (!(error instanceof QueueNameExists)) throw error;
    const { FifoQueue: _fixed, ...changeable } = Attributes;
    const QueueUrl = template.attribute(logicalId, 'QueueUrl', logicalId);
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: changeable }));
  }
}

function attributesOf(template: Template, logicalId: string): Record<string, string> {
  const values = ATTRIBUTES.map((name) => [name, template.property(logicalId, name)] as const);
  const given = values.filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, name === 'RedrivePolicy' ? JSON.stringify(value) : String(value)]),
  );
}

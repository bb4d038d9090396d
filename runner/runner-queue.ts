import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { RunnerMessage } from '#core/runner-message.ts';
import { threadName } from '#core/thread.ts';

const LONG_POLL_SECONDS = 20;
const MESSAGES_AT_ONCE = 10;

/**
 * Reads the runner's queue until the signal aborts. A message comes at least once; repeats are dropped by thread and
 * `message_id`. It leaves the queue only after `handle` returned: what a crash interrupts comes again.
 */
export async function followRunnerQueue(
  sqs: SQSClient,
  QueueUrl: string,
  handle: (message: RunnerMessage) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  while (!signal.aborted) {
    const received = await receive(sqs, QueueUrl, signal);
    for (const { Body = '', ReceiptHandle } of received) {
      const message = JSON.parse(Body) as RunnerMessage;
      const name = `${threadName(message.thread)} ${message.message_id}`;
      if (!seen.has(name)) await handle(message);
      seen.add(name);
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}

async function receive(sqs: SQSClient, QueueUrl: string, abortSignal: AbortSignal) {
  try {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MESSAGES_AT_ONCE,
        WaitTimeSeconds: LONG_POLL_SECONDS,
      }),
      { abortSignal },
    );
    return Messages ?? [];
  } catch (error) {
    if (abortSignal.aborted) return [];
    throw error;
  }
}

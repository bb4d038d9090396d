import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { digest, threadGroup } from '#adapters/names.ts';
import { bareItem } from '#core/item.ts';
import type { RunnerQueues, ThreadItemQueue } from '#core/ports.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import { utf8Bytes } from '#core/utf8.ts';

const MESSAGE_LIMIT_BYTES = 1024 * 1024;

/** The resolver's FIFO queue: one message group per thread, so that its items are resolved in order. */
export function threadItemQueue(sqs: SQSClient, QueueUrl: string): ThreadItemQueue {
  return {
    async send(thread, item_id, item) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: messageBody({ thread, item_id, ...(item && { item }) }),
          MessageGroupId: threadGroup(thread),
          MessageDeduplicationId: digest(threadGroup(thread), item_id),
        }),
      );
    },
    async retryAfter(ReceiptHandle, seconds) {
      await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: seconds }));
    },
  };
}

/** One FIFO queue per configured runner (interface.md 3). */
export function runnerQueues(sqs: SQSClient, urls: Readonly<Record<string, string>>): RunnerQueues {
  const urlOf = (runner: string) => (Object.hasOwn(urls, runner) ? urls[runner] : undefined);
  return {
    has: (runner) => urlOf(runner) !== undefined,
    async send(runner, message) {
      const QueueUrl = urlOf(runner);
      if (!QueueUrl) throw new Error(`no queue is configured for the runner of this thread`);
      await sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: runnerMessageBody(message),
          MessageGroupId: threadGroup(message.thread),
          MessageDeduplicationId: digest(threadGroup(message.thread), message.message_id),
        }),
      );
    },
  };
}

/**
 * Answers beside a large item, most of it characters that travel escaped: the answers go whole, and of the item what
 * names it. What the host itself takes never comes here but with answers of a hundred kilobytes (I13).
 */
function runnerMessageBody(message: RunnerMessage): string {
  const whole = messageBody(message);
  if (!('item' in message) || utf8Bytes(whole) <= MESSAGE_LIMIT_BYTES) return whole;
  return messageBody({ ...message, item: bareItem(message.item) });
}

/** SQS takes XML's characters only: U+FFFE and U+FFFF travel escaped, as JSON.stringify does with the other ones. */
function messageBody(value: unknown): string {
  return JSON.stringify(value).replace(/[\ufffe\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
}

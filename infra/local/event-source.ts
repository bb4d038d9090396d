import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { failedMessages } from './batch-response.ts';
import type { Invocation } from './execution-environment.ts';

export type EventSourceSettings = {
  queueUrl: string;
  queueArn: string;
  region: string;
  batchSize: number;
  /** The function says which messages failed; without it one failure fails them all. */
  reportsItemFailures: boolean;
  /** Batches in hand at the same time, at most. */
  concurrency: number;
  sqs: SQSClient;
  invoke: (event: { Records: SQSRecord[] }) => Promise<Invocation>;
  log: (line: string) => void;
};

/** SQS's longest. */
const LONG_POLL_SECONDS = 20;
/** Lambda starts with five pollers and takes more while they are busy. */
const POLLERS = 5;
const PAUSE_AFTER_FAULT_MS = 1000;

/**
 * An event source mapping: reads a queue, hands batches to a function, and deletes what was handled. What failed stays
 * in the queue and comes back when its visibility time-out ends; that is never shortened here.
 */
export class EventSource {
  readonly #settings: EventSourceSettings;
  readonly #stopping = new AbortController();
  readonly #pollers = new Set<Promise<void>>();
  #polling = 0;

  constructor(settings: EventSourceSettings) {
    this.#settings = settings;
    // Each poller listens, and Node takes more than ten for a leak.
    setMaxListeners(settings.concurrency, this.#stopping.signal);
    for (let n = 0; n < Math.min(POLLERS, settings.concurrency); n++) this.#addPoller();
  }

  /** Takes no more messages; resolves when the batches in hand are done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#pollers);
  }

  #addPoller(): void {
    const poller = this.#poll().finally(() => this.#pollers.delete(poller));
    this.#pollers.add(poller);
  }

  async #poll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const messages = await this.#receive();
      if (messages.length > 0) {
        if (this.#polling === 0 && this.#pollers.size < this.#settings.concurrency) this.#addPoller();
        await this.#handle(messages);
      } else if (this.#pollers.size > POLLERS) return;
    }
  }

  async #receive(): Promise<Message[]> {
    const { sqs, queueUrl, batchSize, log } = this.#settings;
    this.#polling++;
    try {
      const { Messages } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: batchSize,
          WaitTimeSeconds: LONG_POLL_SECONDS,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
        { abortSignal: this.#stopping.signal },
      );
      return Messages ?? [];
    } catch (error) {
      if (this.#stopping.signal.aborted) return [];
      log(`the queue cannot be read: ${(error as Error).name}`);
      await wait(PAUSE_AFTER_FAULT_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
      return [];
    } finally {
      this.#polling--;
    }
  }

  async #handle(messages: Message[]): Promise<void> {
    const { sqs, queueUrl, invoke, reportsItemFailures, log } = this.#settings;
    const invocation = await invoke({ Records: messages.map((message) => this.#record(message)) });
    const ids = messages.map(({ MessageId = '' }) => MessageId);
    const failed = failedMessages(invocation, ids, reportsItemFailures);
    if ('why' in failed) log(`the whole batch failed: ${failed.why}`);
    const handled = messages.filter(({ MessageId = '' }) => !failed.ids.has(MessageId));
    if (handled.length === 0) return;
    const Entries = handled.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries })).catch((error) => {
      log(`handled messages were not deleted and will come again: ${error.name}`);
    });
  }

  #record(message: Message): SQSRecord {
    const { queueArn, region } = this.#settings;
    return {
      messageId: message.MessageId ?? '',
      receiptHandle: message.ReceiptHandle ?? '',
      body: message.Body ?? '',
      attributes: { ...message.Attributes } as SQSRecord['attributes'],
      messageAttributes: Object.fromEntries(
        Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, messageAttribute(value)]),
      ),
      md5OfBody: message.MD5OfBody ?? '',
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion: region,
    };
  }
}

function messageAttribute(value: MessageAttributeValue): SQSRecord['messageAttributes'][string] {
  return {
    ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
    ...(value.BinaryValue && { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: value.DataType as 'String' | 'Number' | 'Binary',
  };
}

import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { RunnerMessage } from '#core/runner-message.ts';
import { threadName } from '#core/thread.ts';
import { type Pause, pauseFor } from './call-again.ts';
import { type ReadMessage, readBody } from './read-message.ts';

const LONG_POLL_SECONDS = 20;
const MESSAGES_AT_ONCE = 10;
/** SQS drops repeats for five minutes by itself; what is sent again later is dropped as long as it is among these. */
const NAMES_KEPT = 10_000;
const FIRST_BACK_OFF_MS = 1000;
const LONGEST_BACK_OFF_MS = 30_000;

export type Following = {
  /** A message of another shape: it is left for the dead-letter queue, where an alarm watches. */
  malformed?: (fault: ReadMessage & { ok: false }) => void;
  /** Everything received together was handled. */
  afterBatch?: () => void;
  /** What went wrong and does not stop anything; nothing of a message's content. */
  report?: (what: string, error?: unknown) => void;
  pause?: Pause;
};

/**
 * Reads the runner's queue until the signal aborts, and never fails: what cannot be received or deleted is tried again. A
 * message comes at least once; repeats are dropped by thread and `message_id`. It leaves the queue only after `handle`
 * returned: what a crash interrupts comes again.
 *
 * A loop of our own, since sqs-consumer handles the messages of one receive at the same time, or deletes none before all
 * are handled; a thread's messages must be handled in order, and a failed one may hold up only its own thread.
 */
export async function followRunnerQueue(
  sqs: SQSClient,
  QueueUrl: string,
  handle: (message: RunnerMessage) => Promise<void>,
  signal: AbortSignal,
  { malformed, afterBatch, report = () => {}, pause = pauseFor }: Following = {},
): Promise<void> {
  const seen = new Set<string>();
  let backOff = FIRST_BACK_OFF_MS;
  while (!signal.aborted) {
    try {
      const received = await receive(sqs, QueueUrl, signal);
      backOff = FIRST_BACK_OFF_MS;
      const handled = await handleInOrder(received);
      afterBatch?.();
      await remove(sqs, QueueUrl, handled);
    } catch (error) {
      if (signal.aborted) return;
      report('the queue could not be read', error);
      await pause(backOff, signal).catch(() => undefined);
      backOff = Math.min(backOff * 2, LONGEST_BACK_OFF_MS);
    }
  }

  async function handleInOrder(received: Message[]): Promise<Message[]> {
    const handled: Message[] = [];
    const held = new Set<string>();
    for (const each of received) {
      const read = readBody(each.Body);
      if (!read.ok) {
        report('a message that cannot be read is left for the dead-letter queue', new Error(read.why));
        malformed?.(read);
        continue;
      }
      const thread = threadName(read.message.thread);
      const name = `${thread} ${read.message.message_id}`;
      if (held.has(thread)) continue;
      try {
        if (!seen.has(name)) await handle(read.message);
        remember(seen, name);
        handled.push(each);
      } catch (error) {
        report('a message could not be handled and comes again', error);
        held.add(thread);
      }
    }
    return handled;
  }
}

/** The oldest go first. */
function remember(seen: Set<string>, name: string): void {
  seen.add(name);
  if (seen.size > NAMES_KEPT) seen.delete(seen.values().next().value ?? '');
}

async function receive(sqs: SQSClient, QueueUrl: string, abortSignal: AbortSignal): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: MESSAGES_AT_ONCE,
    WaitTimeSeconds: LONG_POLL_SECONDS,
  });
  return (await sqs.send(command, { abortSignal })).Messages ?? [];
}

/** What could not be deleted comes again and is dropped as a repeat. */
async function remove(sqs: SQSClient, QueueUrl: string, messages: Message[]): Promise<void> {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
  const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  if (Failed.length > 0) throw new Error(`${Failed.length} messages could not be deleted: ${Failed[0]?.Code}`);
}

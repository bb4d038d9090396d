import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { runnerQueues } from '#adapters/queues.ts';
import { nextTurnMessage, outcomeMessage } from '#core/runner-message.ts';
import { utf8Bytes } from '#core/utf8.ts';
import { answered, item, THREAD } from '../support/given.ts';

const MIB = 1024 * 1024;

/** What is sent in place of a message; the emulators take anything of any size. */
async function bodyOf(message: Parameters<ReturnType<typeof runnerQueues>['send']>[1]): Promise<string> {
  const sent: SendMessageCommand[] = [];
  const sqs = { send: async (command: SendMessageCommand) => void sent.push(command) } as unknown as SQSClient;
  await runnerQueues(sqs, { default: 'url' }).send('default', message);
  return sent[0]?.input.MessageBody ?? '';
}

describe("a message to a runner within SQS's 1 MiB (I13)", () => {
  const overhead = JSON.stringify(nextTurnMessage(THREAD, item(''), undefined)).length;

  it('carries the whole item while it fits', async () => {
    const message = nextTurnMessage(THREAD, item('x'.repeat(MIB - overhead)), undefined);
    expect(await bodyOf(message)).toBe(JSON.stringify(message));
  });
  it('else carries what names it: author, id and time', async () => {
    const message = nextTurnMessage(THREAD, item('x'.repeat(MIB - overhead + 1)), 'prm_x');
    const { id, user_id, created_at } = message.item;
    expect(JSON.parse(await bodyOf(message))).toEqual({ ...message, item: { id, user_id, created_at, content: [] } });
  });
  it('always carries the answers whole, however they are escaped', async () => {
    const answers = [{ question: 'Run it?', answer: ['\uFFFE'.repeat(66_000)] }];
    const message = outcomeMessage(THREAD, answered({ answers }), item('\uFFFF'.repeat(120_000)));
    const body = await bodyOf(message);
    expect(utf8Bytes(body)).toBeLessThan(MIB);
    expect(JSON.parse(body)).toMatchObject({ prompt: { answers }, item: { content: [] } });
  });
});

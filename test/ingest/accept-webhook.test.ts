import { createHmac, randomBytes } from 'node:crypto';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadGroup } from '#adapters/names.ts';
import { threadItemQueue } from '#adapters/queues.ts';
import type { Metrics } from '#core/metrics.ts';
import { acceptWebhook, type IngestPorts } from '../../functions/ingest/accept-webhook.ts';
import type { Emulator } from '../../infra/local/emulator.ts';
import { startSqs } from '../../infra/local/sqs-emulator.ts';
import { item, THREAD } from '../support/given.ts';

const NOW = 1_790_000_000_000;
const key = randomBytes(32);
const SECRETS = JSON.stringify([`whsec_${key.toString('base64')}`]);
const secretOf = (text: string) => ({ read: async () => text, readAgain: async () => text });
const clock = { now: () => NOW, wait: async () => {} };

let emulator: Emulator;
let sqs: SQSClient;
let QueueUrl: string;
beforeAll(async () => {
  emulator = await startSqs({ port: 0, region: 'us-east-1' });
  sqs = new SQSClient({
    endpoint: emulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  const Attributes = { FifoQueue: 'true' };
  QueueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: 'items.fifo', Attributes }))).QueueUrl ?? '';
});
afterAll(async () => {
  sqs.destroy();
  await emulator.stop();
});

async function accept(body: string | Buffer, more: Partial<IngestPorts> & { trusts?: boolean; signer?: Buffer } = {}) {
  const { trusts = true, signer = key, ...ports } = more;
  const bytes = Buffer.from(body);
  const counted: (Metrics | undefined)[] = [];
  const telemetry = {
    info: (...told: [string, object, Metrics?]) => void counted.push(told[2]),
    failure: (...told: [string, unknown, object, Metrics?]) => void counted.push(told[3]),
  };
  const timestamp = String(NOW / 1000);
  const signature = createHmac('sha256', signer).update(`msg_1.${timestamp}.`).update(bytes).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  const all = { secrets: secretOf(SECRETS), threadItems: threadItemQueue(sqs, QueueUrl), clock, telemetry, ...ports };
  return { ...(await acceptWebhook(all, { headers, body: bytes }, trusts)), counted };
}

const posted = item('yes', { metadata: { odd: '\u0000 \uFFFE \uFFFF', number: 1 } });
const event = (more: object = {}) =>
  JSON.stringify({
    id: 'evt_1',
    type: 'session_thread_item_posted',
    ...THREAD,
    item_id: posted.id,
    item: posted,
    ...more,
  });

async function received() {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
  );
  return Messages.map(({ Body = '', Attributes }) => ({ body: JSON.parse(Body), group: Attributes?.MessageGroupId }));
}

describe('an accepted item', () => {
  it('is on the queue before the answer, in the group of its thread, byte for byte, and once for two deliveries', async () => {
    for (let delivery = 0; delivery < 2; delivery++) {
      expect(await accept(event())).toEqual({
        status: 202,
        answer: { accepted: true },
        counted: [{ WebhookAccepted: 1 }],
      });
    }
    const expected = { thread: THREAD, item_id: posted.id, item: posted };
    expect(await received()).toEqual([{ body: expected, group: threadGroup(THREAD) }]);
  });

  it('goes without what the webhook says of it, where the stage does not trust that', async () => {
    const elsewhere = { ...THREAD, alias: 'untrusted' };
    expect((await accept(event(elsewhere), { trusts: false })).status).toBe(202);
    expect((await received()).map(({ body }) => body)).toEqual([{ thread: elsewhere, item_id: posted.id }]);
  });
});

describe('interface.md 1, row by row', () => {
  it.each([
    ['another event', event({ type: 'session_closed' }), 200, { ignored: 'event_type' }, 'WebhookIgnored'],
    ['the activity log', event({ alias: 'worker' }), 200, { ignored: 'activity_log' }, 'WebhookIgnored'],
    [
      'a type that never matters',
      event({ item: { ...posted, metadata: { type: 'tool_call' } } }),
      200,
      { ignored: 'typed_item' },
      'WebhookIgnored',
    ],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, { error: 'malformed_body' }, 'WebhookMalformed'],
    ['no JSON', '{"type":', 400, { error: 'malformed_body' }, 'WebhookMalformed'],
    ['nested too deep', `${'['.repeat(33)}${']'.repeat(33)}`, 400, { error: 'malformed_body' }, 'WebhookMalformed'],
    [
      'not of the shape',
      event({ item_id: 7 }),
      400,
      { error: 'malformed_body', details: [expect.objectContaining({ path: 'item_id' })] },
      'WebhookMalformed',
    ],
  ] as const)('%s', async (_, body, status, answer, metric) => {
    expect(await accept(body)).toMatchObject({ status, answer, counted: [{ [metric]: 1 }] });
  });

  it('a wrong signature has one constant answer, and the secret is read again before', async () => {
    let reads = 0;
    const secrets = { read: async () => SECRETS, readAgain: async () => SECRETS.slice(0, ++reads && undefined) };
    const refused = await accept(event(), { signer: randomBytes(32), secrets });
    expect([reads, refused]).toEqual([
      1,
      {
        status: 401,
        answer: { error: 'invalid_signature', message: 'The webhook is not signed with a secret that is known here.' },
        counted: [{ SignatureInvalid: 1 }],
      },
    ]);
  });

  it('a secret that was rotated a moment ago is believed at its first webhook', async () => {
    const old = JSON.stringify([`whsec_${randomBytes(32).toString('base64')}`]);
    const secrets = { read: async () => old, readAgain: async () => SECRETS };
    expect((await accept(event({ alias: 'rotated' }), { secrets })).status).toBe(202);
  });

  it.each([
    ['no list', 'whsec_'],
    ['an empty list', '[]'],
    ['nothing', ''],
  ])('secrets that are none (%s) let nothing in, and the host sends again', async (_, text) => {
    expect(await accept(event(), { secrets: secretOf(text) })).toMatchObject({
      status: 503,
      answer: { error: 'secrets_unavailable' },
      counted: [{ SecretsUnusable: 1 }],
    });
  });

  it('over 512 KiB, before anything is computed over it', async () => {
    expect(await accept(Buffer.alloc(512 * 1024 + 1, 32))).toMatchObject({
      status: 413,
      answer: { error: 'body_too_large' },
    });
    expect((await accept(Buffer.alloc(512 * 1024, 32))).status).toBe(400);
  });

  it('a queue that does not take the item', async () => {
    const gone = threadItemQueue(sqs, `${QueueUrl}-gone.fifo`);
    expect(await accept(event(), { threadItems: gone })).toMatchObject({
      status: 503,
      answer: { error: 'queue_unavailable' },
      counted: [{ EnqueueFailure: 1 }],
    });
  });
});

import { findPackageJSON } from 'node:module';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { type BuildAppOptions, buildApp } from 'fauxqs';
import type { Emulator } from './emulator.ts';
import type { Guard } from './iam/access-control.ts';
import { LOOPBACK, originOf, portError } from './loopback-server.ts';

type Stores = NonNullable<BuildAppOptions['stores']>;
type SqsStore = Stores['sqsStore'];
type Persistence = {
  db: { exec(sql: string): void; prepare(sql: string): { run(...values: string[]): unknown } };
  loadSqsAndSns(sqsStore: SqsStore, snsStore: Stores['snsStore']): void;
  updateMessageReady(messageId: string): void;
  close(): void;
};
/** What `startFauxqs` is made of. */
type Parts = {
  SqsStore: new () => SqsStore;
  SnsStore: new () => Stores['snsStore'];
  S3Store: new () => Stores['s3Store'];
  PersistenceManager: new (folder: string) => Persistence;
  INVALID_MESSAGE_BODY_CHAR: RegExp;
};

/** `oldestSentAt`: of all that is not deleted, also what somebody has in hand; milliseconds. */
export type QueueState = { name: string; visible: number; oldestSentAt: number | undefined };
export type SqsEmulator = Emulator & { queues(): QueueState[] };
type SqsOptions = { port: number; region: string; dataDir?: string; guard?: Guard };

/** SQS answers in JSON and names its errors in a header, as they were called in its older protocol. */
const ERRORS = {
  'access denied': { name: 'AccessDenied', type: 'com.amazon.coral.service#AccessDeniedException' },
  'unknown access key': { name: 'InvalidClientTokenId', type: 'com.amazon.coral.service#UnrecognizedClientException' },
};
/** SQS takes XML's characters; fauxqs 2.4.1 forgets those beyond U+FFFF, such as emoji. */
const NOT_IN_A_MESSAGE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/**
 * fauxqs, put together from its parts: `startFauxqs` listens on every interface of the machine, and hands out queue URLs
 * with a host that does not exist (`sqs.us-east-1.127.0.0.1`). Its version is pinned for that.
 */
export async function startSqs(options: SqsOptions): Promise<SqsEmulator> {
  const parts = await loadParts();
  const stores = { sqsStore: new parts.SqsStore(), snsStore: new parts.SnsStore(), s3Store: new parts.S3Store() };
  // Without a host, a queue's URL is on the origin that the request came to.
  stores.sqsStore.host = '';
  parts.INVALID_MESSAGE_BODY_CHAR.test = (text: string) => NOT_IN_A_MESSAGE.test(text);
  const app = buildApp({ logger: false, defaultRegion: options.region, stores });
  if (options.guard) refuse(app, options.guard);
  returnUnread(app, stores.sqsStore);
  let persistence: Persistence | undefined;
  app.addHook('onClose', async () => persistence?.close());
  await app.listen({ host: LOOPBACK, port: options.port }).catch((error) => {
    throw portError(error, options.port);
  });
  const url = originOf((app.server.address() as AddressInfo).port);
  if (options.dataDir) persistence = restore(new parts.PersistenceManager(options.dataDir), stores, url);
  const queues = () => [...stores.sqsStore.allQueues()].map(stateOf);
  return { url, queues, stop: () => app.close() };
}

function stateOf(queue: ReturnType<SqsStore['createQueue']>): QueueState {
  // What was in hand for too long is visible again, but fauxqs looks only when somebody reads.
  queue.processTimers();
  const { ready, delayed, inflight } = queue.inspectMessages();
  const all = [...ready, ...delayed, ...inflight.map(({ message }) => message)];
  const oldestSentAt = all.reduce((oldest, { sentTimestamp }) => Math.min(oldest, sentTimestamp), Infinity);
  return { name: queue.name, visible: ready.length, oldestSentAt: all.length === 0 ? undefined : oldestSentAt };
}

/** fauxqs exports neither its stores nor its persistence. */
async function loadParts(): Promise<Parts> {
  const folder = new URL('dist/', pathToFileURL(findPackageJSON('fauxqs', import.meta.url) ?? ''));
  const modules = ['sqs/sqsStore.js', 'sqs/sqsTypes.js', 'sns/snsStore.js', 's3/s3Store.js', 'persistence.js'];
  return Object.assign({}, ...(await Promise.all(modules.map((module) => import(new URL(module, folder).href)))));
}

/** Queues and messages of an earlier run; what was in flight then is visible again, since nobody holds it any more. */
function restore(persistence: Persistence, { sqsStore, snsStore }: Stores, origin: string): Persistence {
  const { db } = persistence;
  // A killed process loses nothing that was written, synced or not; only a power cut could.
  db.exec('PRAGMA synchronous = NORMAL');
  db.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  db.prepare("UPDATE sqs_queues SET url = ? || '/000000000000/' || name").run(origin);
  // fauxqs's own sets a counter to NULL that must not be, fails, and has forgotten the message by then.
  const makeReady = db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
  );
  persistence.updateMessageReady = (messageId) => void makeReady.run(messageId);
  persistence.loadSqsAndSns(sqsStore, snsStore);
  // As startFauxqs does: only now, since loading must not write.
  sqsStore.persistence = persistence as unknown as NonNullable<SqsStore['persistence']>;
  for (const queue of sqsStore.allQueues()) queue.persistence = sqsStore.persistence;
  return persistence;
}

/** What the guard does not let through reaches no queue. */
function refuse(app: ReturnType<typeof buildApp>, guard: Guard): void {
  app.addHook('preHandler', async (request, reply) => {
    const { authorization, 'x-amz-target': target } = request.headers;
    const refusal = guard({ authorization, target, body: () => request.body });
    if (!refusal) return;
    const { name, type } = ERRORS[refusal.reason];
    reply.code(403).header('x-amzn-query-error', `${name};Sender`).type('application/x-amz-json-1.0');
    return reply.send(JSON.stringify({ __type: type, message: refusal.message }));
  });
}

/** A reader that went away during its long poll would hold what comes next until its visibility time-out. */
function returnUnread(app: ReturnType<typeof buildApp>, sqsStore: SqsStore): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    if (!request.raw.socket.destroyed || request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return payload;
    const { Messages = [] } = JSON.parse(String(payload)) as { Messages?: { ReceiptHandle: string }[] };
    const queue = sqsStore.getQueue((request.body as { QueueUrl: string }).QueueUrl);
    for (const { ReceiptHandle } of Messages) queue?.changeVisibility(ReceiptHandle, 0);
    return payload;
  });
}

import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadGroup } from '#adapters/names.ts';
import { type Item, metadataField, ownField } from '#core/item.ts';
import type { Ports } from '#core/ports.ts';
import { CLAIM_MS, debtsOf, workOf } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';
import { reconcileDue } from '../../functions/reconciler/reconcile-due.ts';
import { resolveBatch } from '../../functions/resolver/resolve-batch.ts';
import { FaultyProcess } from '../crash/faults.ts';
import { Outside } from '../crash/outside.ts';
import { startTable, type TestTable } from '../support/dynamodb.ts';

/**
 * What a queue does to its consumer, by events built as Lambda builds them: the emulator gives one message of a group at a
 * time, AWS gives up to ten of several groups.
 */
let table: TestTable;
let worlds = 0;
let outside: Outside;
beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table.stop());

const fresh = () => {
  outside = new Outside(table, `queue-${++worlds}`, undefined);
  return outside;
};
const ports = (more: Partial<Ports> = {}): Ports => ({ ...outside.ports(new FaultyProcess(undefined)), ...more });
const threadOf = (name: string): Thread => ({ ...outside.thread, session_id: name });
const say = (thread: Thread, text: string) =>
  outside.host.put(thread, 'usr_anna', { content: [{ type: 'text', text }] });

let messages = 0;
function record(thread: Thread, body: unknown, attributes: Partial<SQSRecord['attributes']> = {}): SQSRecord {
  const messageId = `msg-${++messages}`;
  return {
    messageId,
    receiptHandle: `handle of ${messageId}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      MessageGroupId: threadGroup(thread),
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: String(outside.now),
      ...attributes,
    },
  } as SQSRecord;
}
const message = (item: Item, thread = outside.thread) => record(thread, { thread, item_id: item.id, item });

const ALWAYS = () => 60_000;
const resolve = (records: SQSRecord[], more: Partial<Ports> = {}, remainingMs = ALWAYS) =>
  resolveBatch(ports(more), records, remainingMs);
const nothingFailed = { batchItemFailures: [] };
const failedOf = (records: (SQSRecord | undefined)[]) => ({
  batchItemFailures: records.map((failed) => ({ itemIdentifier: failed?.messageId })),
});
const toldOf = (thread: Thread) =>
  outside.sent.filter((sent) => sent.thread.session_id === thread.session_id).map(({ message_id }) => message_id);
const audits = () =>
  outside.host.items(outside.thread).filter((item) => metadataField(item, 'type') === 'pending_prompt_resolved');
const idOf = (raised: unknown) => String(ownField(ownField(raised, 'prompt'), 'prompt_id'));
const distinct = () => new Set(outside.sent.map((sent) => JSON.stringify(sent)));

describe('a batch of ten over three threads', () => {
  const build = () => {
    fresh();
    const threads = { a: threadOf('a'), b: threadOf('b'), c: threadOf('c') };
    const order = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a'] as const;
    const items = order.map((name, n) => say(threads[name], `${name}${n}`));
    return { threads, items, records: items.map((item, n) => message(item, threads[order[n] ?? 'a'])) };
  };

  it('stops a thread at its first failure, gives back the rest of it in order, and goes on with the others', async () => {
    const { threads, items, records } = build();
    const { runnerQueues, threadItems } = ports();
    const broken = items[4]?.id;
    const delays: [string, number][] = [];
    const failed = await resolve(records, {
      runnerQueues: {
        ...runnerQueues,
        send: async (runner, sent) => {
          if ('item' in sent && sent.item.id === broken) throw new Error('the queue is away');
          return runnerQueues.send(runner, sent);
        },
      },
      threadItems: { ...threadItems, retryAfter: async (handle, seconds) => void delays.push([handle, seconds]) },
    });
    expect(failed).toEqual(failedOf([records[4], records[7]]));
    expect(delays).toEqual([records[4], records[7]].map((given) => [given?.receiptHandle, 1]));
    const turns = (numbers: number[]) => numbers.map((n) => `${items[n]?.id}.turn`);
    expect(toldOf(threads.a)).toEqual(turns([0, 3, 6, 9]));
    expect(toldOf(threads.b)).toEqual(turns([1]));
    expect(toldOf(threads.c)).toEqual(turns([2, 5, 8]));

    expect(await resolve([records[4], records[7]] as SQSRecord[])).toEqual(nothingFailed);
    expect(toldOf(threads.b)).toEqual(turns([1, 4, 7]));
  });

  it('gives back at once what there is no time for: cut off in the middle, it would be done twice', async () => {
    const { records } = build();
    let left = 5;
    expect(await resolve(records, {}, () => (left-- > 0 ? 60_000 : 1000))).toMatchObject({
      batchItemFailures: expect.arrayContaining([{ itemIdentifier: records.at(-1)?.messageId }]),
    });
    const { batchItemFailures } = await resolve(records, {}, () => 1000);
    expect(new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).size).toBe(10);
  });

  it('is failed for its own records only where a visibility cannot be changed', async () => {
    const { threads, items, records } = build();
    const { store, threadItems } = ports();
    const failed = await resolve(records, {
      store: {
        ...store,
        read: async (thread, also) => {
          if (thread.session_id === 'b') throw new Error('throttled');
          return store.read(thread, also);
        },
      },
      threadItems: { ...threadItems, retryAfter: () => Promise.reject(new Error('the receipt handle has expired')) },
    });
    expect(failed).toEqual(failedOf([records[1], records[4], records[7]]));
    expect([toldOf(threads.a).length, toldOf(threads.b).length, toldOf(threads.c).length]).toEqual([4, 0, 3]);
    expect(items).toHaveLength(10);
  });
});

describe('an old "yes" that is redriven while another approval is open', () => {
  it('does not approve it: it was written before the question', async () => {
    const yes = message(say(fresh().thread, 'yes'));
    const prompt_id = idOf(await outside.raise('dangerous'));
    expect(await resolve([yes])).toEqual(nothingFailed);
    expect(distinct().size).toBe(1);
    expect(outside.sent).toMatchObject([{ type: 'next_turn' }]);
    expect(await outside.attach()).toMatchObject({ open: { prompt_id } });
  });

  it('does nothing new where it was an answer before', async () => {
    await fresh().raise('harmless');
    const yes = message(say(outside.thread, 'yes'));
    expect(await resolve([yes])).toEqual(nothingFailed);
    const prompt_id = idOf(await outside.raise('dangerous'));
    const before = outside.sent.length;
    for (let redrive = 0; redrive < 3; redrive++) expect(await resolve([yes])).toEqual(nothingFailed);
    expect(outside.sent).toHaveLength(before);
    expect(await outside.attach()).toMatchObject({ open: { prompt_id } });
  });
});

describe('a message that can never be handled', () => {
  const thread = { revision_id: 'rev', session_id: 'ses', alias: 'poison' };
  it.each([
    ['no JSON', '{"half'],
    ['no object', '[]'],
    ['no thread', { item_id: 'itm' }],
    ['half a thread', { thread: { ...thread, alias: '' }, item_id: 'itm' }],
    ['no item id', { thread }],
    ['an item that is none', { thread, item_id: 'itm', item: { id: 'itm' } }],
    ['nesting without an end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['an item that the host has never had', { thread, item_id: 'itm_nowhere' }],
  ])('is parked, counted and acknowledged, and the thread goes on: %s', async (_, body) => {
    fresh();
    const counted: unknown[] = [];
    const parked: string[] = [];
    const { store, telemetry } = ports();
    const more = {
      store: {
        ...store,
        park: async (...parking: Parameters<typeof store.park>) => {
          parked.push(parking[0]);
          return store.park(...parking);
        },
      },
      telemetry: { ...telemetry, failure: (...told: unknown[]) => void counted.push(told.at(-1)) },
    };
    const poison = record(outside.thread, body, { ApproximateReceiveCount: '5' });
    const good = message(say(outside.thread, 'and me?'));
    expect(await resolve([poison, good], more)).toEqual(nothingFailed);
    expect([parked, counted]).toEqual([[poison.messageId], [{ Parked: 1 }]]);
    expect(toldOf(outside.thread)).toHaveLength(1);
  });

  it('is not parked while the host may only be slow to show the item', async () => {
    const early = record(fresh().thread, { thread: outside.thread, item_id: 'itm_nowhere' });
    expect(await resolve([early])).toEqual(failedOf([early]));
  });
});

describe('a visibility that lapsed, so that two workers have one message', () => {
  it('of an answer: one outcome, one audit item', async () => {
    await fresh().raise('one');
    const yes = message(say(outside.thread, 'yes'));
    await Promise.all([resolve([yes]), resolve([yes])]);
    await outside.calmDown();
    expect([distinct().size, audits().length]).toEqual([1, 1]);
  });

  it('of a next turn: one, after repeats are dropped', async () => {
    const hello = message(say(fresh().thread, 'hello'));
    await Promise.all([resolve([hello]), resolve([hello])]);
    expect(distinct().size).toBe(1);
  });

  it('of a reply that waits for its question to open: it answers once', async () => {
    fresh();
    const { threadHost } = ports();
    let replied: SQSRecord | undefined;
    // The question is on the thread, the raise does not know it yet, and somebody has answered already.
    const post: typeof threadHost.post = async (thread, item) => {
      const posted = await threadHost.post(thread, item);
      replied ??= message(say(outside.thread, 'yes'));
      await Promise.all([resolve([replied]), resolve([replied])]);
      return posted;
    };
    const { raisePrompt } = await import('../../functions/runner-api/raise-prompt.ts');
    const options = [{ label: 'Approve' }, { label: 'Deny' }];
    const raise = { request_id: 'one', kind: 'approval' as const, questions: [{ question: 'one?', options }] };
    await raisePrompt(ports({ threadHost: { ...threadHost, post } }), outside.thread, raise);
    await outside.calmDown();
    expect([...distinct()].map((sent) => JSON.parse(sent).type)).toEqual(['prompt_answered']);
    expect(audits()).toHaveLength(1);
  });
});

describe("a runner's queue that is away", () => {
  const away = () => {
    const { runnerQueues } = ports();
    return { runnerQueues: { ...runnerQueues, send: () => Promise.reject(new Error('the queue is away')) } };
  };
  const slot = async () => (await ports().store.read(outside.thread)).slot;

  it('is told to the operator: the outcome is owed, the reconciler tries, and the thread waits for it', async () => {
    await fresh().raise('one');
    const yes = message(say(outside.thread, 'yes'));
    expect(await resolve([yes], away())).toEqual(failedOf([yes]));
    const settled_at = outside.now;
    expect(debtsOf(await slot())).toEqual({ unnotified_since: settled_at, unaudited_since: settled_at });
    expect(workOf(await slot())).toEqual({ list: 'unfinished', at: settled_at + 1000 });

    outside.now += 6000;
    await reconcileDue(ports(away()), ALWAYS);
    expect(workOf(await slot())).toEqual({ list: 'unfinished', at: settled_at + 8000 });

    outside.now += 60_000;
    await reconcileDue(ports(), ALWAYS);
    expect(await resolve([yes])).toEqual(nothingFailed);
    expect([outside.sent.length, audits().length, workOf(await slot())]).toEqual([1, 1, undefined]);
  });

  it('leaves the claim of another worker, who may be posting the audit item right now', async () => {
    await fresh().raise('one');
    const yes = message(say(outside.thread, 'yes'));
    const { runnerQueues } = ports();
    let second: unknown;
    const send: typeof runnerQueues.send = async (runner, sent) => {
      second ??= await resolve([yes], away());
      return runnerQueues.send(runner, sent);
    };
    const claims: unknown[] = [];
    const { threadHost } = ports();
    const post: typeof threadHost.post = async (thread, item) => {
      claims.push((await slot()).outbox[0]?.claimed_until);
      return threadHost.post(thread, item);
    };
    expect(
      await resolve([yes], { runnerQueues: { ...runnerQueues, send }, threadHost: { ...threadHost, post } }),
    ).toEqual(nothingFailed);
    expect([second, claims]).toEqual([failedOf([yes]), [outside.now + CLAIM_MS]]);
  });
});

describe('a thread host that is dead for minutes', () => {
  it('delays the audit item alone: the agent is told at once, the message is gone, and one item lands in the end', async () => {
    await fresh().raise('one');
    const { threadHost } = ports();
    let posts = 0;
    const dead = {
      threadHost: {
        ...threadHost,
        post: async () => {
          posts++;
          return { outcome: 'unknown', why: 'no answer' } as const;
        },
        findOwn: () => Promise.reject(new Error('no answer')),
      },
    };
    const yes = message(say(outside.thread, 'yes'));
    expect(await resolve([yes], dead)).toEqual(nothingFailed);
    expect(outside.sent).toMatchObject([{ type: 'prompt_answered' }]);

    for (let minute = 0; minute < 30; minute++) {
      outside.now += 60_000;
      await reconcileDue(ports(dead), ALWAYS);
    }
    expect([posts, audits().length, outside.sent.length]).toEqual([1, 0, 1]);

    outside.now += 120_000;
    await reconcileDue(ports(), ALWAYS);
    await reconcileDue(ports(), ALWAYS);
    expect([audits().length, outside.sent.length]).toEqual([1, 1]);
  });

  it('holds its own thread up by ever longer pauses, two minutes at most, and answers nothing meanwhile', async () => {
    const thread = fresh().thread;
    await outside.raise('one');
    const { threadHost, threadItems } = ports();
    const delays: number[] = [];
    const dead = {
      threadHost: { ...threadHost, get: () => Promise.reject(new Error('no answer')) },
      threadItems: { ...threadItems, retryAfter: async (_: string, seconds: number) => void delays.push(seconds) },
    };
    const item = say(thread, 'yes');
    const withoutItem = record(thread, { thread, item_id: item.id });
    const behind = message(say(thread, 'no'));
    for (let tries = 0; tries < 30; tries++) {
      expect(await resolve([withoutItem, behind], dead)).toEqual(failedOf([withoutItem, behind]));
      outside.now += (delays.at(-1) ?? 0) * 1000;
    }
    const ofFirst = delays.filter((_, n) => n % 2 === 0);
    expect(ofFirst).toEqual([...ofFirst].sort((a, b) => a - b));
    expect([ofFirst[0], ofFirst.at(-1)]).toEqual([1, 120]);
    expect(outside.sent).toEqual([]);

    expect(await resolve([withoutItem, behind])).toEqual(nothingFailed);
    expect(outside.sent.map(({ message_id }) => message_id.replace(/^prm_[^.]+/, 'prm'))).toEqual([
      'prm.answered',
      `${JSON.parse(behind.body).item_id}.turn`,
    ]);
  });
});

it('a runner that is dead for days finds the outcome when it attaches, until it says that it has it', async () => {
  const prompt_id = idOf(await fresh().raise('one'));
  await resolve([message(say(outside.thread, 'yes'))]);
  outside.now += 20 * 24 * 3_600_000; // Longer than its queue keeps a message.
  const attached = async () => ((await outside.attach()) as { unacknowledged?: unknown }).unacknowledged;
  for (let times = 0; times < 2; times++) {
    expect(await attached()).toMatchObject([
      { message_id: `${prompt_id}.answered`, request_id: 'one', item: { content: [{ type: 'text', text: 'yes' }] } },
    ]);
  }
  await outside.call('/v1/threads/{revision_id}/{session_id}/{alias}/prompts/{prompt_id}/ack', { prompt_id }, {});
  expect(await attached()).toEqual([]);
});

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadGroup } from '#adapters/names.ts';
import { promptStore } from '#adapters/prompt-store.ts';
import { SlotTooLargeError, UnknownRecordVersionError } from '#core/errors.ts';
import { parseJson } from '#core/json.ts';
import type { PromptStore } from '#core/ports.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import { beginPosting, emptySlot, openPrompt, type Slot, settle } from '#core/prompting/slot.ts';
import type { TestTable } from './dynamodb.ts';
import { answered, at, OTHER_PROMPT_ID, open, PROMPT_ID, posting, THREAD } from './given.ts';

/** What every implementation of the prompt store must do; it runs on each DynamoDB that is at hand. */
export function promptStoreSuite(engine: string, start: () => Promise<TestTable>): void {
  describe(`prompt store on ${engine}`, () => {
    let table: TestTable;
    let store: PromptStore;
    let threads = 0;
    const freshThread = () => ({ ...THREAD, alias: `thread-${++threads}` });
    const NOW = Date.parse('2026-12-01T00:00:00Z');

    beforeAll(async () => {
      table = await start();
      store = promptStore(table.client, table.name, () => NOW);
    }, 60_000);
    afterAll(() => table?.stop());

    const saved = async (thread: typeof THREAD, slot: Slot | undefined) => {
      if (!slot) throw new Error('the transition does not apply');
      return store.save(thread, slot);
    };

    it('reads what was never written as an empty slot', async () => {
      expect(await store.read(freshThread())).toEqual({ slot: emptySlot(), receipts: new Map() });
    });

    it('gives a thread one writer at a time (I1)', async () => {
      const thread = freshThread();
      expect(await saved(thread, beginPosting(emptySlot(), posting(), 1))).toBe(true);
      expect(await saved(thread, beginPosting(emptySlot(), posting(), 1))).toBe(false);
      const { slot } = await store.read(thread);
      expect(slot).toEqual({ rev: 1, active: posting(), outbox: [] });
      expect(await saved(thread, openPrompt(slot, PROMPT_ID, { item_id: 'itm', posted_at: at(1) }))).toBe(true);
      expect(await saved(thread, openPrompt(slot, PROMPT_ID, { item_id: 'itm', posted_at: at(1) }))).toBe(false);
    });

    it('lets exactly one of many simultaneous settlements win (I1, I19)', async () => {
      const thread = freshThread();
      await store.save(thread, { ...emptySlot(), active: open() });
      const { slot } = await store.read(thread);
      const won = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          saved(thread, settle(slot, PROMPT_ID, { state: 'cancelled', reason: `${i}` }, i)),
        ),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      const [prompt] = (await store.read(thread)).slot.outbox;
      expect(prompt).toMatchObject({ state: 'cancelled', reason: String(won.indexOf(true)) });
    });

    it('keeps threads apart whose names read alike when joined (T1, I12)', async () => {
      const thread = freshThread();
      await store.save({ ...thread, session_id: 'a', alias: 'b/c' }, { ...emptySlot(), active: open() });
      for (const other of [
        { session_id: 'a/b', alias: 'c' },
        { session_id: 'A', alias: 'b/c' },
      ]) {
        expect((await store.read({ ...thread, ...other })).slot).toEqual(emptySlot());
      }
    });

    it('keeps every character and number as it came', async () => {
      const thread = freshThread();
      const text =
        '{"a":1.0,"b":1e999,"c":12345678901234567890,"d":"\\ud83d \\uffff \\u0000","__proto__":{"x":[]},"":null}';
      const session = parseJson(text);
      if (!session.ok) throw new Error('no JSON');
      await store.save(thread, { ...emptySlot(), active: open({ session: session.value }) });
      const { slot } = await store.read(thread);
      expect(JSON.stringify(slot.active?.session)).toBe(JSON.stringify(session.value));
    });

    it('refuses a record over 400 KB and writes nothing', async () => {
      const thread = freshThread();
      const active = open({ session: 'x'.repeat(400 * 1024) });
      await expect(store.save(thread, { ...emptySlot(), active })).rejects.toThrow(SlotTooLargeError);
      expect((await store.read(thread)).slot).toEqual(emptySlot());
    });

    it('holds the largest record that a settlement can make', async () => {
      const thread = freshThread();
      const active = open({ session: 'x'.repeat(160 * 1024) });
      await store.save(thread, { ...emptySlot(), active });
      const { slot } = await store.read(thread);
      const outcome = { ...answered(), answers: [{ question: 'q', answer: ['y'.repeat(199 * 1024)] }] };
      expect(await saved(thread, settle(slot, PROMPT_ID, outcome as never, 1))).toBe(true);
    });

    it('does not guess at a record of a newer version', async () => {
      const thread = freshThread();
      const Item = { pk: { S: threadGroup(thread) }, sk: { S: 'slot' }, version: { N: '2' }, body: { S: '{}' } };
      await table.client.send(new PutItemCommand({ TableName: table.name, Item }));
      await expect(store.read(thread)).rejects.toThrow(UnknownRecordVersionError);
    });

    it('remembers what items were used for, also ids that no key could hold', async () => {
      const thread = freshThread();
      const ids = ['itm_1', 'x'.repeat(5000), 'a#b', '\ud83d'];
      for (const id of ids) await store.putReceipt(thread, id, { use: 'next_turn' });
      await store.putReceipt(thread, 'itm_q', { use: 'prompt', prompt_id: PROMPT_ID });
      const { receipts } = await store.read(thread, { items: [...ids, 'itm_q', 'itm_other', 'itm_1'] });
      expect([...receipts]).toEqual([
        ...ids.map((id) => [id, { use: 'next_turn' }]),
        ['itm_q', { use: 'prompt', prompt_id: PROMPT_ID }],
      ]);
      expect((await store.read(freshThread(), { items: ids })).receipts.size).toBe(0);
    });

    it('keeps a finished prompt and the receipt of its answer', async () => {
      const thread = freshThread();
      await store.keep(thread, answered());
      const read = await store.read(thread, { items: ['itm_1'], requestKey: requestKeyOf(PROMPT_ID) });
      expect(read.past).toEqual(answered());
      expect(read.receipts.get('itm_1')).toEqual({ use: 'answer', prompt_id: PROMPT_ID });
    });

    it('never puts what was given up over an outcome', async () => {
      const thread = freshThread();
      const { claimed_until, ...withdrawn } = posting();
      const givenUp = { ...withdrawn, state: 'withdrawn', settled_at: 1 } as const;
      const past = async () => (await store.read(thread, { requestKey: requestKeyOf(PROMPT_ID) })).past;
      await store.keep(thread, givenUp);
      expect(await past()).toEqual(givenUp);
      await store.keep(thread, answered());
      await store.keep(thread, givenUp);
      expect(await past()).toEqual(answered());
    });

    it('lists what is not acknowledged, oldest first, until it is', async () => {
      const thread = freshThread();
      const second = answered({ prompt_id: OTHER_PROMPT_ID, settled_at: 6000 });
      await store.keep(thread, second);
      await store.keep(thread, answered());
      await store.keep(thread, { ...answered({ prompt_id: 'prm_3' }), acked_at: 1 });
      const { claimed_until, ...withdrawn } = posting({ prompt_id: 'prm_4' });
      await store.keep(thread, { ...withdrawn, state: 'withdrawn', settled_at: 1 });
      expect(await store.unacknowledged(thread)).toEqual([answered(), second]);
      await store.acknowledge(thread, answered(), 7000);
      await store.acknowledge(thread, answered(), 8000);
      expect(await store.unacknowledged(thread)).toEqual([second]);
      const { past } = await store.read(thread, { requestKey: requestKeyOf(PROMPT_ID) });
      expect(past).toMatchObject({ acked_at: 7000 });
    });

    it('finds threads with something due, and only these', async () => {
      const due = freshThread();
      const later = freshThread();
      const done = freshThread();
      const openOnly = freshThread();
      const owed = (claimed_until: number) => answered({ notified_at: 6000, claimed_until });
      await store.save(due, { ...emptySlot(), outbox: [owed(NOW - 1)] });
      await store.save(later, { ...emptySlot(), outbox: [owed(NOW + 60_000)] });
      await store.save(openOnly, { ...emptySlot(), active: open() });
      await store.save(done, { ...emptySlot(), outbox: [owed(NOW - 1)] });
      await store.save(done, { rev: 1, outbox: [] });
      const found = await store.due(NOW, 100);
      expect(found).toContainEqual(due);
      for (const thread of [later, done, openOnly]) expect(found).not.toContainEqual(thread);
    });

    it('gauges what is open, owed and unacknowledged, each by its oldest', async () => {
      const before = { open: await store.gauge('open'), unacknowledged: await store.gauge('unacknowledged') };
      const [young, old, owing] = [freshThread(), freshThread(), freshThread()];
      await store.save(young, { ...emptySlot(), active: open({ raised_at: 30 }) });
      await store.save(old, { ...emptySlot(), active: open({ raised_at: 20 }) });
      expect(await store.gauge('open')).toMatchObject({ count: before.open.count + 2, since: 20 });

      const outbox = [
        answered({ settled_at: -3, notified_at: 4 }),
        answered({ prompt_id: OTHER_PROMPT_ID, settled_at: -2, next_attempt_at: 6 }),
      ];
      await store.save(owing, { ...emptySlot(), outbox });
      expect(await store.gauge('unfinished')).toMatchObject({ unaudited_since: -3, unnotified_since: -2 });

      await store.keep(owing, answered({ settled_at: 3 }));
      const { count } = before.unacknowledged;
      expect(await store.gauge('unacknowledged')).toMatchObject({ count: count + 1, since: 3 });
      await store.acknowledge(owing, answered({ settled_at: 3 }), 9);
      expect((await store.gauge('unacknowledged')).count).toBe(count);
    });

    it('records what is parked', async () => {
      await store.park('message-1', '{"half', 'not JSON', NOW);
      await store.park('message-1', '{"half', 'not JSON', NOW);
    });
  });
}

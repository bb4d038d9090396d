import { expect, it } from 'vitest';
import type { Gauge, Ports } from '#core/ports.ts';
import type { Thread } from '#core/thread.ts';
import { reconcileDue } from '../../functions/reconciler/reconcile-due.ts';
import { reportGauges } from '../../functions/reconciler/report-gauges.ts';
import { slotWith, THREAD } from '../support/given.ts';

/** What is done with a thread is tested where it is done (test/crash, test/histories); here: which, how many, how long. */
function watched(due: Thread[][], read: (thread: Thread) => Promise<unknown> = async () => ({ slot: slotWith() })) {
  const told: unknown[] = [];
  const asked: number[] = [];
  const ports = {
    store: {
      due: async (_: number, limit: number) => {
        asked.push(limit);
        return due.shift() ?? [];
      },
      read,
    },
    clock: { now: () => 1000 },
    telemetry: { info: (...entry: unknown[]) => told.push(entry), failure: () => {} },
  } as unknown as Ports;
  return { ports, told, asked };
}
const threads = (count: number) => Array.from({ length: count }, (_, n) => ({ ...THREAD, alias: `t${n}` }));
const ran = (counts: object) => [['reconciled', counts, { ReconcilerRuns: 1 }]];

it('nothing due costs one query', async () => {
  const { ports, told, asked } = watched([]);
  await reconcileDue(ports, () => 55_000);
  expect([asked, told]).toEqual([[10], ran({ threads: 0, failures: 0 })]);
});

it('goes on while there is a full page, and ends with the first that is not', async () => {
  const { ports, told, asked } = watched([threads(10), threads(10), threads(3)]);
  await reconcileDue(ports, () => 55_000);
  expect([asked.length, told]).toEqual([3, ran({ threads: 23, failures: 0 })]);
});

it('a thread that fails holds up no other, and ends the run: it stays due', async () => {
  const read = async ({ alias }: Thread) => {
    if (alias === 't4') throw new Error('throttled');
    return { slot: slotWith() };
  };
  const { ports, told } = watched([threads(10), threads(10)], read);
  await reconcileDue(ports, () => 55_000);
  expect(told).toEqual(ran({ threads: 10, failures: 1 }));
});

it('begins nothing that could be cut off', async () => {
  const { ports, asked } = watched([threads(10), threads(10), threads(10)]);
  let left = 35_000;
  await reconcileDue(ports, () => (left -= 10_000));
  expect(asked).toHaveLength(1);
});

it('gauges tell ages, and zero where nothing waits, so that silence is never taken for health', async () => {
  const empty: Gauge = { count: 0, since: undefined, unnotified_since: undefined, unaudited_since: undefined };
  const gauges: Record<string, Gauge> = {
    open: { ...empty, count: 3, since: 400 },
    unfinished: { ...empty, count: 2, since: 5, unaudited_since: 900 },
    unacknowledged: empty,
  };
  const { ports, told } = watched([]);
  await reportGauges({ ...ports, store: { ...ports.store, gauge: async (list) => gauges[list] ?? empty } });
  expect(told).toEqual([
    [
      'gauges',
      {},
      {
        PromptsOpen: 3,
        OldestOpenMs: 600,
        ThreadsUnfinished: 2,
        OldestUnnotifiedMs: 0,
        OldestUnauditedMs: 100,
        OutcomesUnacknowledged: 0,
        OldestUnacknowledgedMs: 0,
      },
    ],
  ]);
});

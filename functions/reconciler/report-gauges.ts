import type { Ports } from '#core/ports.ts';

/** What waits, and for how long: the metrics that show an answer on its way to nobody. Three bounded reads a run. */
export async function reportGauges({ store, clock, telemetry }: Ports): Promise<void> {
  const [open, unfinished, unacknowledged] = await Promise.all([
    store.gauge('open'),
    store.gauge('unfinished'),
    store.gauge('unacknowledged'),
  ]);
  const now = clock.now();
  const ageMs = (since: number | undefined) => (since === undefined ? 0 : now - since);
  telemetry.info(
    'gauges',
    {},
    {
      PromptsOpen: open.count,
      OldestOpenMs: ageMs(open.since),
      ThreadsUnfinished: unfinished.count,
      OldestUnnotifiedMs: ageMs(unfinished.unnotified_since),
      OldestUnauditedMs: ageMs(unfinished.unaudited_since),
      OutcomesUnacknowledged: unacknowledged.count,
      OldestUnacknowledgedMs: ageMs(unacknowledged.since),
    },
  );
}

import { addTo, type Bucket, emptyBucket, merge } from './bucket.ts';

export type Dimensions = Readonly<Record<string, string>>;
/** What CloudWatch knows a metric by: an alarm that names other dimensions watches another metric. */
export type Metric = { namespace: string; name: string; dimensions: Dimensions };
export type Series = Metric & { total: { sum: number; count: number }; latest: { value: number; at: number } };

/** As long as anybody looks back here; with some fifty metrics a few megabytes at the very most. */
const MINUTES_KEPT = 180;

type Kept = Series & { buckets: Bucket[] };

/**
 * The metrics of the local stack, in minutes. What the functions emit and what AWS itself would is bounded by the template:
 * no dimension of theirs holds anything that a person or an agent chose.
 */
export class MetricStore {
  readonly minuteMs: number;
  readonly #series = new Map<string, Kept>();

  /** @param minuteMs how long a minute of the metrics lasts: less than 60,000 makes alarms impatient */
  constructor(minuteMs: number) {
    this.minuteMs = minuteMs;
  }

  put(metric: Metric, value: number, at: number): void {
    const series = this.#seriesOf(metric, at);
    series.total.sum += value;
    series.total.count++;
    if (at >= series.latest.at) series.latest = { value, at };
    addTo(this.#bucketOf(series.buckets, Math.floor(at / this.minuteMs)), value);
  }

  /** What the metric came to from the minute `first` on, in `minutes` of them; `undefined` where nothing came. */
  read(metric: Metric, first: number, minutes: number): Bucket | undefined {
    const buckets = this.#series.get(keyOf(metric))?.buckets ?? [];
    const within = buckets.filter(({ minute }) => minute >= first && minute < first + minutes);
    return within.length === 0 ? undefined : merge(within);
  }

  /** The last `minutes` of them, also the present one. */
  recent(metric: Metric, minutes: number, now: number): Bucket | undefined {
    return this.read(metric, Math.floor(now / this.minuteMs) - minutes + 1, minutes);
  }

  /** In the order in which they first came. */
  all(): readonly Series[] {
    return [...this.#series.values()];
  }

  has(metric: Metric): boolean {
    return this.#series.has(keyOf(metric));
  }

  #seriesOf(metric: Metric, at: number): Kept {
    const key = keyOf(metric);
    let series = this.#series.get(key);
    if (!series) {
      series = { ...metric, total: { sum: 0, count: 0 }, latest: { value: Number.NaN, at }, buckets: [] };
      this.#series.set(key, series);
    }
    return series;
  }

  /** Mostly the last one; a line that comes late may belong to an earlier minute. */
  #bucketOf(buckets: Bucket[], minute: number): Bucket {
    const at = buckets.findLastIndex((bucket) => bucket.minute <= minute);
    const found = buckets[at];
    if (found?.minute === minute) return found;
    const bucket = emptyBucket(minute);
    buckets.splice(at + 1, 0, bucket);
    if (buckets.length > MINUTES_KEPT) buckets.shift();
    return bucket;
  }
}

function keyOf({ namespace, name, dimensions }: Metric): string {
  const sorted = Object.entries(dimensions).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([namespace, name, sorted]);
}

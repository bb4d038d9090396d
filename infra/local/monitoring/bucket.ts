/** What one metric came to in one minute. A percentile is exact up to `SAMPLE_SIZE` values, and near after that. */
export type Bucket = {
  minute: number;
  sum: number;
  count: number;
  min: number;
  max: number;
  /** Every `stride`-th value. */
  sample: number[];
  stride: number;
};

/** Keeps p99 within one value in a hundred, at 2 kB a minute. */
const SAMPLE_SIZE = 256;

export function emptyBucket(minute: number): Bucket {
  return { minute, sum: 0, count: 0, min: Infinity, max: -Infinity, sample: [], stride: 1 };
}

export function addTo(bucket: Bucket, value: number): void {
  if (bucket.count % bucket.stride === 0) bucket.sample.push(value);
  bucket.sum += value;
  bucket.count++;
  bucket.min = Math.min(bucket.min, value);
  bucket.max = Math.max(bucket.max, value);
  if (bucket.sample.length < SAMPLE_SIZE) return;
  // Every second one stays, so that what is kept is spread evenly over the minute, however many come.
  bucket.sample = bucket.sample.filter((_, n) => n % 2 === 0);
  bucket.stride *= 2;
}

/** A longer period out of its minutes; a value counts for as many as its minute left out. */
export function merge(buckets: readonly Bucket[]): Bucket {
  const whole = emptyBucket(buckets[0]?.minute ?? 0);
  whole.stride = Math.max(1, ...buckets.map(({ stride }) => stride));
  for (const { sum, count, min, max, sample, stride } of buckets) {
    whole.sum += sum;
    whole.count += count;
    whole.min = Math.min(whole.min, min);
    whole.max = Math.max(whole.max, max);
    const every = whole.stride / stride;
    whole.sample.push(...sample.filter((_, n) => n % every === 0));
  }
  return whole;
}

const SIMPLE: Readonly<Record<string, (bucket: Bucket) => number>> = {
  Sum: ({ sum }) => sum,
  SampleCount: ({ count }) => count,
  Average: ({ sum, count }) => sum / count,
  Minimum: ({ min }) => min,
  Maximum: ({ max }) => max,
};
const PERCENTILE = /^p(\d{1,2}(?:\.\d+)?|100)$/;

/** @returns what tells a statistic of a bucket that is not empty; `undefined` where CloudWatch's name is not known here */
export function statisticNamed(name: string): ((bucket: Bucket) => number) | undefined {
  if (Object.hasOwn(SIMPLE, name)) return SIMPLE[name];
  const [, percent] = PERCENTILE.exec(name) ?? [];
  return percent === undefined ? undefined : ({ sample }) => percentile(sample, Number(percent));
}

/** The smallest value that so many of a hundred are not above (nearest rank). */
function percentile(values: readonly number[], percent: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((percent / 100) * ordered.length));
  return ordered[rank - 1] ?? Number.NaN;
}

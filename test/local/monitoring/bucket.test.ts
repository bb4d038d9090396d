import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { addTo, emptyBucket, merge, statisticNamed } from '../../../infra/local/monitoring/bucket.ts';

function bucketOf(values: readonly number[], minute = 0) {
  const bucket = emptyBucket(minute);
  for (const value of values) addTo(bucket, value);
  return bucket;
}
const told = (name: string, values: readonly number[]) => statisticNamed(name)?.(bucketOf(values));

describe('a minute of 4, 1, 3, 2', () => {
  test.each([
    ['Sum', 10],
    ['SampleCount', 4],
    ['Average', 2.5],
    ['Minimum', 1],
    ['Maximum', 4],
    ['p50', 2],
    ['p75', 3],
    ['p75.1', 4],
    ['p99', 4],
    ['p0', 1],
    ['p100', 4],
  ])('%s is %d', (name, expected) => {
    expect(told(name, [4, 1, 3, 2])).toBe(expected);
  });
});

test.each(['Median', 'p101', 'p', 'tm90', 'toString'])('%s is a statistic that is not known here', (name) => {
  expect(statisticNamed(name)).toBeUndefined();
});

it('takes little memory however many values come, and a percentile stays near', () => {
  const count = 100_000;
  const bucket = bucketOf(Array.from({ length: count }, (_, n) => n));
  expect(bucket).toMatchObject({ count, min: 0, max: count - 1, sum: (count * (count - 1)) / 2 });
  expect(bucket.sample.length).toBeLessThan(256);
  expect(Math.abs((statisticNamed('p90')?.(bucket) ?? 0) - 0.9 * count)).toBeLessThan(0.02 * count);
});

it('a period of several minutes is what one bucket of all their values would be', () => {
  const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (minutes) => {
      const merged = merge(minutes.map((each, n) => bucketOf(each, n)));
      const { sample, ...rest } = bucketOf(minutes.flat());
      expect(merged).toEqual({ ...rest, sample: expect.anything() });
      expect(merged.sample.toSorted()).toEqual(sample.toSorted());
    }),
  );
});

it('a busy minute does not outweigh a quiet one by what it left out', () => {
  const busy = bucketOf(new Array(1000).fill(1));
  const merged = merge([bucketOf(new Array(200).fill(9)), busy]);
  const share = merged.sample.filter((value) => value === 9).length / merged.sample.length;
  expect(share).toBeCloseTo(200 / 1200, 1);
});

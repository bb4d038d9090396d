import { expect, it } from 'vitest';
import { telemetry } from '../../../functions/adapters/telemetry.ts';
import { readEmbeddedMetrics } from '../../../infra/local/monitoring/embedded-metrics.ts';
import { MetricStore } from '../../../infra/local/monitoring/metric-store.ts';

const METRIC = { namespace: 'N', name: 'M', dimensions: { a: '1', b: '2' } };
const MINUTE = 60_000;

it('puts values into their minutes, also those that come late', () => {
  const store = new MetricStore(MINUTE);
  for (const [value, at] of [
    [1, 0],
    [2, 59_999],
    [4, 60_000],
    [8, 180_000],
    [16, 120_000],
  ] as const) {
    store.put(METRIC, value, at);
  }
  const sums = [0, 1, 2, 3, 4].map((minute) => store.read(METRIC, minute, 1)?.sum);
  expect(sums).toEqual([3, 4, 16, 8, undefined]);
  expect(store.read(METRIC, 0, 3)?.sum).toBe(23);
  expect(store.recent(METRIC, 2, 180_000)?.sum).toBe(24);
  expect(store.all()).toMatchObject([{ latest: { value: 8, at: 180_000 } }]);
});

it('knows a metric by its dimensions, in any order, and by nothing less', () => {
  const store = new MetricStore(MINUTE);
  store.put(METRIC, 1, 0);
  expect(store.has({ ...METRIC, dimensions: { b: '2', a: '1' } })).toBe(true);
  expect(store.has({ ...METRIC, dimensions: { a: '1' } })).toBe(false);
  expect(store.has({ ...METRIC, namespace: 'O' })).toBe(false);
});

it('keeps three hours of minutes, and the total of all', () => {
  const store = new MetricStore(MINUTE);
  for (let minute = 0; minute < 1000; minute++) store.put(METRIC, 1, minute * MINUTE);
  expect(store.read(METRIC, 0, 1000)?.count).toBe(180);
  expect(store.read(METRIC, 819, 1)).toBeUndefined();
  expect(store.all()).toMatchObject([{ total: { sum: 1000, count: 1000 }, latest: { value: 1, at: 999 * MINUTE } }]);
});

it('counts minutes as long as it is told', () => {
  const store = new MetricStore(500);
  store.put(METRIC, 1, 499);
  store.put(METRIC, 1, 500);
  expect([0, 1].map((minute) => store.read(METRIC, minute, 1)?.count)).toEqual([1, 1]);
});

it('reads what our own telemetry writes', () => {
  const store = new MetricStore(MINUTE);
  const { info } = telemetry({ stage: 'prod', function: 'resolver' }, (line) => readEmbeddedMetrics(line, store));
  info('event', { item_id: 'i' }, { Answered: 1, TimeToAnswerMs: 1500 });
  info('without metrics', {});
  const common = { namespace: 'InteractivePrompts', dimensions: { stage: 'prod', function: 'resolver' } };
  expect(store.all()).toMatchObject([
    { ...common, name: 'Answered', total: { sum: 1, count: 1 } },
    { ...common, name: 'TimeToAnswerMs', latest: { value: 1500 } },
  ]);
});

const emf = (more: object, directive: object = {}) =>
  JSON.stringify({
    d: 'x',
    _aws: {
      Timestamp: 1,
      CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [['d']], Metrics: [{ Name: 'M' }], ...directive }],
    },
    ...more,
  });

it.each([
  ['is not JSON', '{"_aws": nonsense'],
  ['is a person talking of "_aws":', 'see "_aws": there'],
  ['has a text for a value', emf({ M: '1' })],
  ['lacks the value', emf({})],
  ['lacks a dimension', emf({ M: 1 }, { Dimensions: [['d', 'e']] })],
])('a line that %s makes no metric', (_, line) => {
  const store = new MetricStore(MINUTE);
  readEmbeddedMetrics(line, store);
  expect(store.all()).toEqual([]);
});

it('a line with two sets of dimensions makes a metric of each', () => {
  const store = new MetricStore(MINUTE);
  readEmbeddedMetrics(emf({ M: 1, e: 'y' }, { Dimensions: [['d'], ['d', 'e']] }), store);
  expect(store.all().map(({ dimensions }) => dimensions)).toEqual([{ d: 'x' }, { d: 'x', e: 'y' }]);
});

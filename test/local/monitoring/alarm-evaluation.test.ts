import { describe, expect, it, test } from 'vitest';
import {
  type AlarmState,
  COMPARISONS,
  evaluate,
  type MetricAlarm,
  MISSING_DATA,
} from '../../../infra/local/monitoring/alarm-evaluation.ts';

const ALARM: MetricAlarm = {
  name: 'A',
  description: '',
  metric: { namespace: 'N', name: 'M', dimensions: {} },
  statistic: 'Sum',
  periodMinutes: 1,
  evaluationPeriods: 3,
  datapointsToAlarm: 3,
  threshold: 1,
  isBad: (value, threshold) => value > threshold,
  missing: 'missing',
};

/** `X` is bad, `0` is good, `-` is missing: as in CloudWatch's documentation. */
function state(range: string, alarm: Partial<MetricAlarm>, before: AlarmState): AlarmState {
  const values = [...range.replaceAll(' ', '')].map((each) => ({ X: 9, '0': 0 })[each]);
  return evaluate({ ...ALARM, ...alarm }, values, before);
}

/** What each treatment makes of a range, in the order of `MISSING_DATA`. */
function states(range: string, alarm: Partial<MetricAlarm> = {}): string {
  const each = MISSING_DATA.map((missing) => {
    const ends = (['OK', 'ALARM'] as const).map((before) => state(range, { ...alarm, missing }, before));
    return ends[0] === ends[1] ? ends[0] : 'as before';
  });
  return each.join(', ');
}

describe('three of three, as CloudWatch documents it: missing, ignore, breaching, notBreaching', () => {
  test.each([
    ['0 - X - X', 'OK, OK, OK, OK'],
    ['0 - - - -', 'OK, OK, OK, OK'],
    ['- - - - -', 'INSUFFICIENT_DATA, as before, ALARM, OK'],
    ['0 X X - X', 'ALARM, ALARM, ALARM, ALARM'],
    ['- - X - -', 'ALARM, as before, ALARM, OK'],
  ])('%s', (range, expected) => {
    expect(states(range)).toBe(expected);
  });
});

describe('two of three', () => {
  test.each([
    ['0 - X - X', 'ALARM, ALARM, ALARM, ALARM'],
    ['0 0 X 0 X', 'ALARM, ALARM, ALARM, ALARM'],
    ['0 - X - -', 'OK, OK, ALARM, OK'],
    ['- - - - 0', 'OK, OK, ALARM, OK'],
    ['- - - X -', 'ALARM, as before, ALARM, OK'],
    ['X X 0 0 0', 'OK, OK, OK, OK'],
    ['X X 0 0 X', 'OK, OK, OK, OK'],
  ])('%s', (range, expected) => {
    expect(states(range, { datapointsToAlarm: 2 })).toBe(expected);
  });
});

it('silence is an alarm where it counts as bad, but not before anybody could have heard something', () => {
  const alarm = { missing: 'breaching' } as const;
  expect(state('', alarm, 'INSUFFICIENT_DATA')).toBe('OK');
  expect(state('- -', alarm, 'INSUFFICIENT_DATA')).toBe('OK');
  expect(state('- - -', alarm, 'OK')).toBe('OK');
  expect(state('- - - - -', alarm, 'OK')).toBe('ALARM');
});

test.each([
  ['GreaterThanThreshold', [false, false, true]],
  ['GreaterThanOrEqualToThreshold', [false, true, true]],
  ['LessThanThreshold', [true, false, false]],
  ['LessThanOrEqualToThreshold', [true, true, false]],
])('%s', (name, expected) => {
  expect([1, 2, 3].map((value) => COMPARISONS[name]?.(value, 2))).toEqual(expected);
});

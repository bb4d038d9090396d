import type { Metric } from './metric-store.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanThreshold: (value, threshold) => value > threshold,
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};
export const MISSING_DATA = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;

/** An alarm on one metric, as the template has it. */
export type MetricAlarm = {
  name: string;
  description: string;
  metric: Metric;
  /** CloudWatch's name of it, such as `Sum` or `p99`. */
  statistic: string;
  periodMinutes: number;
  /** Of so many periods … */
  evaluationPeriods: number;
  /** … so many must be bad. */
  datapointsToAlarm: number;
  threshold: number;
  isBad: (value: number, threshold: number) => boolean;
  missing: (typeof MISSING_DATA)[number];
};

/** CloudWatch looks at some more periods than it evaluates, for when of those some are missing. */
const FURTHER_PERIODS = 2;

/** How many periods, up to now, `evaluate` wants to see. */
export function evaluationRange({ evaluationPeriods }: MetricAlarm): number {
  return evaluationPeriods + FURTHER_PERIODS;
}

/**
 * The state that follows from the last periods. Only as many as are missing of `evaluationPeriods`, after all of the range
 * were counted, are filled in: so the documentation has it ("Configuring how CloudWatch alarms treat missing data").
 *
 * @param values of the evaluation range, the oldest first; `undefined` where the metric said nothing. Periods that are not
 * in it were before anybody watched, and count as good.
 */
export function evaluate(alarm: MetricAlarm, values: readonly (number | undefined)[], before: AlarmState): AlarmState {
  const { evaluationPeriods, datapointsToAlarm, threshold, isBad, missing } = alarm;
  const unwatched = new Array<false>(Math.max(0, evaluationRange(alarm) - values.length)).fill(false);
  const range = [...unwatched, ...values.map((value) => (value === undefined ? undefined : isBad(value, threshold)))];
  const known = range.filter((bad) => bad !== undefined).slice(-evaluationPeriods);
  const bad = known.filter(Boolean).length;
  const filled = evaluationPeriods - known.length;
  const worst = bad + (missing === 'breaching' ? filled : 0);
  if (worst >= datapointsToAlarm) return 'ALARM';
  if (filled === 0 || missing === 'breaching' || missing === 'notBreaching' || known.includes(false)) return 'OK';
  if (missing === 'ignore') return before;
  if (known.length === 0) return 'INSUFFICIENT_DATA';
  // Nothing but bad values for long enough: what is missing since then speaks for nothing better.
  return range.length - range.indexOf(true) >= datapointsToAlarm ? 'ALARM' : before;
}

import { describe, expect, it, test } from 'vitest';
import { AlarmWatch } from '../../../infra/local/monitoring/alarm-watch.ts';
import { MetricStore } from '../../../infra/local/monitoring/metric-store.ts';
import { alarmsOf } from '../../../infra/local/monitoring/template-alarms.ts';
import { nameResources } from '../../../infra/local/resource-names.ts';
import { checkResources } from '../../../infra/local/resource-types.ts';
import { type Resource, Template } from '../../../infra/local/template.ts';

const ENVIRONMENT = { region: 'us-east-1', accountId: '000000000000', stackName: 'Stack' };
const METRIC = { namespace: 'N', name: 'Failures', dimensions: { d: 'x' } };
const FAILURES = {
  AlarmName: { 'Fn::Sub': '${AWS::StackName}-Failures' },
  AlarmDescription: 'It fails.',
  Namespace: 'N',
  MetricName: 'Failures',
  Dimensions: [{ Name: 'd', Value: 'x' }],
  Statistic: 'Sum',
  Period: 60,
  EvaluationPeriods: 1,
  Threshold: 2,
  ComparisonOperator: 'GreaterThanThreshold',
  TreatMissingData: 'notBreaching',
  AlarmActions: [{ Ref: 'Topic' }],
};

function templateOf(Resources: Record<string, Resource>): Template {
  const template = new Template({ Resources }, ENVIRONMENT);
  nameResources(template, { gateway: '', sqs: '' });
  checkResources(template);
  return template;
}
const alarm = (changes: object = {}): Resource => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: { ...FAILURES, ...changes },
});
const composite = (AlarmRule: unknown): Resource => ({
  Type: 'AWS::CloudWatch::CompositeAlarm',
  Properties: { AlarmName: 'All', AlarmRule },
});

/** A watch over these resources; `minute` lets the rest of a minute pass, with so many failures in it. */
function watched(resources: Record<string, Resource>, minuteMs = 60_000) {
  let now = 1000 * minuteMs;
  const changes: string[] = [];
  const store = new MetricStore(minuteMs);
  const watch = new AlarmWatch(alarmsOf(templateOf(resources)), store, {
    now: () => now,
    changed: ({ name, state }, before) => changes.push(`${name}: ${before} → ${state}`),
  });
  const minute = (failures?: number, metric = METRIC) => {
    if (failures !== undefined) store.put(metric, failures, now);
    now += minuteMs;
    watch.evaluateAll();
    return changes.splice(0);
  };
  return { watch, minute };
}

describe('an alarm of the template', () => {
  it('fires at the end of a bad minute, ends when the bad one is out of sight, and says each once', () => {
    const { watch, minute } = watched({ Failing: alarm() });
    expect(watch.statuses()).toMatchObject([{ name: 'Stack-Failures', state: 'INSUFFICIENT_DATA' }]);
    expect(minute()).toEqual(['Stack-Failures: INSUFFICIENT_DATA → OK']);
    expect(minute(2)).toEqual([]);
    expect(minute(3)).toEqual(['Stack-Failures: OK → ALARM']);
    expect(minute(3)).toEqual([]);
    expect(minute(0)).toEqual(['Stack-Failures: ALARM → OK']);
  });

  it('tells its state, since when, and what it means', () => {
    const { watch, minute } = watched({ Failing: alarm() });
    minute(3);
    const since = new Date(1001 * 60_000).toISOString();
    expect(watch.statuses()).toEqual([{ name: 'Stack-Failures', state: 'ALARM', since, description: 'It fails.' }]);
  });

  it('stays well where another metric is bad', () => {
    const { minute } = watched({ Failing: alarm() });
    minute();
    expect(minute(9, { ...METRIC, dimensions: { d: 'y' } })).toEqual([]);
  });

  it('looks at periods of several minutes', () => {
    const { minute } = watched({ Failing: alarm({ Period: 180 }) });
    expect([minute(1), minute(1), minute(1)].flat()).toContain('Stack-Failures: OK → ALARM');
  });

  it('takes a percentile', () => {
    const { minute } = watched({ Failing: alarm({ Statistic: undefined, ExtendedStatistic: 'p99' }) });
    expect(minute(3)).toEqual(['Stack-Failures: INSUFFICIENT_DATA → ALARM']);
  });

  it('hears silence only after it has listened', () => {
    const silent = { ComparisonOperator: 'LessThanThreshold', TreatMissingData: 'breaching', EvaluationPeriods: 2 };
    const { minute } = watched({ Failing: alarm(silent) });
    expect([minute(), minute(), minute()].flat()).toEqual(['Stack-Failures: INSUFFICIENT_DATA → OK']);
    expect(minute()).toEqual(['Stack-Failures: OK → ALARM']);
  });

  it('on an age is as impatient as its minute is short, and on anything else is not', () => {
    const age = { ...METRIC, name: 'OldestMs' };
    const { minute } = watched({ Old: alarm({ AlarmName: 'Old', MetricName: 'OldestMs', Threshold: 60_000 }) }, 1000);
    minute();
    expect(minute(1000, age)).toEqual([]);
    expect(minute(1001, age)).toEqual(['Old: OK → ALARM']);
    const other = watched({ Failing: alarm({ Threshold: 60_000 }) }, 1000);
    other.minute();
    expect(other.minute(1001)).toEqual([]);
  });
});

it('a composite follows its parts, by their ARNs', () => {
  const rule = { 'Fn::Join': ['', ['(ALARM("', { 'Fn::GetAtt': ['Failing', 'Arn'] }, '"))']] };
  const { minute } = watched({ Failing: alarm(), All: composite(rule) });
  expect(minute(3)).toContain('All: INSUFFICIENT_DATA → ALARM');
  expect(minute(0)).toContain('All: ALARM → OK');
});

test.each<[string, Resource]>([
  ['Odd: AWS::CloudWatch::Alarm Metrics is not supported', alarm({ Metrics: [] })],
  [
    'Odd: ComparisonOperator "GreaterThanUpperThreshold" is not',
    alarm({ ComparisonOperator: 'GreaterThanUpperThreshold' }),
  ],
  ['Odd: TreatMissingData "sometimes" is not', alarm({ TreatMissingData: 'sometimes' })],
  ['Odd: the statistic "tm90" is not', alarm({ ExtendedStatistic: 'tm90' })],
  ['Odd: a Period that is no whole number of minutes', alarm({ Period: 10 })],
  ['Odd: Threshold is not a number', alarm({ Threshold: '1' })],
  ['Odd: AlarmRule: there is no alarm "Nobody"', composite('ALARM("Nobody")')],
  [
    'Odd: AWS::CloudWatch::CompositeAlarm ActionsSuppressor is not',
    { ...composite('TRUE'), Properties: { ActionsSuppressor: 'x' } },
  ],
])('is refused at the start: %s', (message, resource) => {
  expect(() => alarmsOf(templateOf({ Odd: resource }))).toThrow(message);
});

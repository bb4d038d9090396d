import { TemplateError } from '../intrinsics.ts';
import { expectOneOf } from '../resource-types.ts';
import type { Template } from '../template.ts';
import { COMPARISONS, type MetricAlarm, MISSING_DATA } from './alarm-evaluation.ts';
import { statisticNamed } from './bucket.ts';
import { type CompositeRule, parseCompositeRule } from './composite-rule.ts';

export type CompositeAlarm = { name: string; description: string; rule: CompositeRule };

const METRIC_ALARM = 'AWS::CloudWatch::Alarm';
const COMPOSITE_ALARM = 'AWS::CloudWatch::CompositeAlarm';
const SECONDS_PER_MINUTE = 60;

/** @throws TemplateError for what is evaluated here in no way, and for a composite of alarms that are not there */
export function alarmsOf(template: Template): { metricAlarms: MetricAlarm[]; composites: CompositeAlarm[] } {
  const metricAlarms = template.ofType(METRIC_ALARM).map((id) => metricAlarm(template, id));
  const composites = template.ofType(COMPOSITE_ALARM).map((id) => ({ id, ...compositeAlarm(template, id) }));
  const names = new Set([...metricAlarms, ...composites].map(({ name }) => name));
  for (const { id, rule } of composites) {
    const stranger = [...rule.alarms].find((name) => !names.has(name));
    if (stranger !== undefined) throw new TemplateError(id, `AlarmRule: there is no alarm "${stranger}"`);
  }
  return { metricAlarms, composites };
}

function metricAlarm(template: Template, id: string): MetricAlarm {
  const optional = <T>(property: string) => template.property(id, property) as T | undefined;
  const evaluationPeriods = number(template, id, 'EvaluationPeriods');
  const statistic = optional<string>('ExtendedStatistic') ?? template.text(id, 'Statistic');
  if (!statisticNamed(statistic)) {
    throw new TemplateError(id, `the statistic "${statistic}" is not supported by the local stack`);
  }
  const periodMinutes = number(template, id, 'Period') / SECONDS_PER_MINUTE;
  if (!Number.isInteger(periodMinutes)) {
    throw new TemplateError(id, 'a Period that is no whole number of minutes is not supported by the local stack');
  }
  const comparison = template.text(id, 'ComparisonOperator');
  expectOneOf(template, id, 'ComparisonOperator', Object.keys(COMPARISONS));
  expectOneOf(template, id, 'TreatMissingData', [undefined, ...MISSING_DATA]);
  return {
    name: template.attribute(id, 'Ref', id),
    description: optional<string>('AlarmDescription') ?? '',
    metric: {
      namespace: template.text(id, 'Namespace'),
      name: template.text(id, 'MetricName'),
      dimensions: Object.fromEntries(
        (optional<{ Name: string; Value: string }[]>('Dimensions') ?? []).map(({ Name, Value }) => [Name, Value]),
      ),
    },
    statistic,
    periodMinutes,
    evaluationPeriods,
    datapointsToAlarm: optional<number>('DatapointsToAlarm') ?? evaluationPeriods,
    threshold: number(template, id, 'Threshold'),
    isBad: COMPARISONS[comparison] as MetricAlarm['isBad'],
    missing: optional<MetricAlarm['missing']>('TreatMissingData') ?? 'missing',
  };
}

function compositeAlarm(template: Template, id: string): CompositeAlarm {
  return {
    name: template.attribute(id, 'Ref', id),
    description: (template.property(id, 'AlarmDescription') as string | undefined) ?? '',
    rule: parseCompositeRule(template.text(id, 'AlarmRule'), id),
  };
}

function number(template: Template, id: string, property: string): number {
  const value = template.property(id, property);
  if (typeof value === 'number') return value;
  throw new TemplateError(id, `${property} is not a number`);
}

import type { AlarmStatus } from './alarm-watch.ts';
import { statisticNamed } from './bucket.ts';
import { kindOf, meaningOf, unitOf } from './metric-kind.ts';
import type { MetricStore, Series } from './metric-store.ts';

/** Of the last minutes: a summary's quantiles are of a sliding window. */
const QUANTILE_MINUTES = 10;
const QUANTILES = ['0.5', '0.9', '0.99'];
const TYPES = { gauge: 'gauge', counter: 'counter', distribution: 'summary' } as const;

/** The metrics and the states of the alarms in Prometheus's text format (version 0.0.4). */
export function prometheusText(store: MetricStore, alarms: readonly AlarmStatus[], now: number): string {
  const families = Map.groupBy(store.all(), prometheusName);
  const ours = [...families].flatMap(([name, series]) => family(name, series, store, now));
  return [...ours, ...alarmFamily(alarms), ''].join('\n');
}

/** `InteractivePrompts` `TimeToAnswerMs` → `interactive_prompts_time_to_answer_seconds`. */
function prometheusName({ namespace, name }: Series): string {
  const unit = unitOf(name)?.unit;
  const parts = [namespace, name.replace(/Ms$/, ''), unit, kindOf(name) === 'counter' ? 'total' : undefined];
  return snakeCase(parts.filter((part) => part !== undefined).join('_'));
}

function family(name: string, all: Series[], store: MetricStore, now: number): string[] {
  const [first] = all as [Series];
  const kind = kindOf(first.name);
  const divisor = unitOf(first.name)?.divisor ?? 1;
  const samples = all.flatMap((series) => {
    const labels = Object.entries(series.dimensions).map(([key, value]) => [snakeCase(key), value] as const);
    if (kind !== 'distribution') {
      const value = kind === 'gauge' ? series.latest.value : series.total.sum;
      return [sample(name, labels, value / divisor)];
    }
    const recent = store.recent(series, QUANTILE_MINUTES, now);
    const quantile = (q: string) =>
      recent ? (statisticNamed(`p${Number(q) * 100}`)?.(recent) ?? Number.NaN) : Number.NaN;
    return [
      ...QUANTILES.map((q) => sample(name, [...labels, ['quantile', q]], quantile(q) / divisor)),
      sample(`${name}_sum`, labels, series.total.sum / divisor),
      sample(`${name}_count`, labels, series.total.count),
    ];
  });
  return [...head(name, meaningOf(first.name), TYPES[kind]), ...samples];
}

function alarmFamily(alarms: readonly AlarmStatus[]): string[] {
  if (alarms.length === 0) return [];
  const name = 'alarm_firing';
  const samples = alarms.map(({ name: alarm, state }) => sample(name, [['alarm', alarm]], state === 'ALARM' ? 1 : 0));
  return [...head(name, 'whether an alarm of the template fires', 'gauge'), ...samples];
}

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
}

function sample(name: string, labels: readonly (readonly [string, string])[], value: number): string {
  const inner = labels.map(([key, text]) => `${key}="${escaped(text).replaceAll('"', '\\"')}"`).join(',');
  return `${name}${inner && `{${inner}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9_]/g, '_')
    .toLowerCase();
}

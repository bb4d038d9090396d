import { type AlarmState, evaluate, evaluationRange, type MetricAlarm } from './alarm-evaluation.ts';
import { statisticNamed } from './bucket.ts';
import type { MetricStore } from './metric-store.ts';
import type { CompositeAlarm } from './template-alarms.ts';

/** What `/alarms` answers of each; `since` is an ISO 8601 time. */
export type AlarmStatus = { name: string; state: AlarmState; since: string; description: string };
export type Alarms = { metricAlarms: readonly MetricAlarm[]; composites: readonly CompositeAlarm[] };
export type AlarmWatchSettings = { now: () => number; changed: (status: AlarmStatus, before: AlarmState) => void };

const MINUTE_MS = 60_000;

/** Alarms and their states. Like CloudWatch's, they begin with INSUFFICIENT_DATA and look at minutes that are over. */
export class AlarmWatch {
  readonly #alarms: Alarms;
  readonly #store: MetricStore;
  readonly #settings: AlarmWatchSettings;
  readonly #statuses = new Map<string, AlarmStatus>();
  readonly #firstMinute: number;

  constructor(alarms: Alarms, store: MetricStore, settings: AlarmWatchSettings) {
    this.#store = store;
    this.#settings = settings;
    this.#alarms = { ...alarms, metricAlarms: alarms.metricAlarms.map((alarm) => agingIn(alarm, store.minuteMs)) };
    this.#firstMinute = this.#minute();
    const since = new Date(settings.now()).toISOString();
    for (const { name, description } of [...alarms.metricAlarms, ...alarms.composites]) {
      this.#statuses.set(name, { name, state: 'INSUFFICIENT_DATA', since, description });
    }
  }

  statuses(): AlarmStatus[] {
    return [...this.#statuses.values()];
  }

  /** Once a minute: composites last, since their parts may just have changed. */
  evaluateAll(): void {
    for (const alarm of this.#alarms.metricAlarms) {
      this.#become(alarm.name, evaluate(alarm, this.#valuesOf(alarm), this.#stateOf(alarm.name)));
    }
    for (const { name, rule } of this.#alarms.composites) {
      this.#become(name, rule.holds((part) => this.#stateOf(part)) ? 'ALARM' : 'OK');
    }
  }

  #valuesOf(alarm: MetricAlarm): (number | undefined)[] {
    const { metric, periodMinutes } = alarm;
    const statistic = statisticNamed(alarm.statistic);
    const present = this.#minute();
    const periods = Array.from({ length: evaluationRange(alarm) }, (_, n) => present - (n + 1) * periodMinutes);
    return periods
      .filter((first) => first >= this.#firstMinute)
      .reverse()
      .map((first) => this.#store.read(metric, first, periodMinutes))
      .map((bucket) => bucket && statistic?.(bucket));
  }

  #stateOf(name: string): AlarmState {
    return this.#statuses.get(name)?.state ?? 'INSUFFICIENT_DATA';
  }

  #become(name: string, state: AlarmState): void {
    const before = this.#statuses.get(name);
    if (!before || before.state === state) return;
    const status = { ...before, state, since: new Date(this.#settings.now()).toISOString() };
    this.#statuses.set(name, status);
    this.#settings.changed(status, before.state);
  }

  #minute(): number {
    return Math.floor(this.#settings.now() / this.#store.minuteMs);
  }
}

/** Where a minute is shorter, an age of so many minutes is reached sooner too: nobody would wait a day to see an alarm. */
function agingIn(alarm: MetricAlarm, minuteMs: number): MetricAlarm {
  const isAge = alarm.metric.name.includes('Oldest');
  return isAge ? { ...alarm, threshold: (alarm.threshold * minuteMs) / MINUTE_MS } : alarm;
}

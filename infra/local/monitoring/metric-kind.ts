import { METRICS, type MetricName } from '#core/metrics.ts';

/** `gauge`: what is now. `distribution`: how long each of many took. `counter`: how often something came. */
export type MetricKind = 'gauge' | 'distribution' | 'counter';

const GAUGES = /^Oldest|^Approximate|^(PromptsOpen|ThreadsUnfinished|OutcomesUnacknowledged)$/;
const DISTRIBUTIONS = /^(TimeToAnswerMs|Duration)$/;

const OF_AWS: Readonly<Record<string, string>> = {
  Invocations: 'how often a function ran',
  Errors: 'how often a function failed or was cut off',
  Throttles: 'how often a function was not run, as too many ran',
  Duration: 'how long a function ran',
  Count: 'requests to the HTTP API',
  '4xx': 'requests that were refused',
  '5xx': 'requests that failed',
  ApproximateNumberOfMessagesVisible: 'messages that wait in a queue',
  ApproximateAgeOfOldestMessage: 'how long the oldest message is in a queue',
};

export function kindOf(name: string): MetricKind {
  if (GAUGES.test(name)) return 'gauge';
  return DISTRIBUTIONS.test(name) ? 'distribution' : 'counter';
}

/** What a metric tells, in a few words. */
export function meaningOf(name: string): string {
  return Object.hasOwn(METRICS, name) ? METRICS[name as MetricName] : (OF_AWS[name] ?? name);
}

/** CloudWatch's metrics here are in milliseconds, seconds or counts; the divisor makes seconds. */
export function unitOf(name: string): { unit: 'seconds'; divisor: number } | undefined {
  if (name.endsWith('Ms') || name === 'Duration') return { unit: 'seconds', divisor: 1000 };
  return name.startsWith('ApproximateAge') ? { unit: 'seconds', divisor: 1 } : undefined;
}

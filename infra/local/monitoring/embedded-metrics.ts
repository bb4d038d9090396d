import type { MetricStore } from './metric-store.ts';

type Directive = { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] };
type Line = Record<string, unknown> & { _aws?: { Timestamp: number; CloudWatchMetrics: Directive[] } };

const MARK = '"_aws":';

/**
 * What CloudWatch takes out of a line of a function's log (the embedded metric format); other lines hold no metrics. As
 * there, a member that is no number, or a dimension that is not in the line, makes no metric.
 */
export function readEmbeddedMetrics(line: string, store: MetricStore): void {
  const found = line.includes(MARK) ? parse(line) : undefined;
  for (const { Namespace: namespace, Dimensions, Metrics } of found?._aws?.CloudWatchMetrics ?? []) {
    for (const names of Dimensions) {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(found?.[name])]));
      for (const { Name: name } of Metrics) {
        const value = found?.[name];
        if (typeof value !== 'number' || names.some((dimension) => found?.[dimension] === undefined)) continue;
        store.put({ namespace, name, dimensions }, value, found?._aws?.Timestamp ?? 0);
      }
    }
  }
}

function parse(line: string): Line | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

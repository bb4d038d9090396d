import type { Metrics } from '#core/metrics.ts';
import type { LogFields, Telemetry } from '#core/ports.ts';

/** CloudWatch's embedded metric format: one JSON line is log and metrics at once. */
const NAMESPACE = 'InteractivePrompts';

/** Of one invocation: its lines carry Lambda's request id, by which CloudWatch finds what else belongs to them. */
export type FunctionTelemetry = Telemetry & { of(fields: LogFields): Telemetry };

/**
 * @param base fields of every line; stage and function are the metrics' only dimensions, so that their number is bounded
 * @param write takes one line; CloudWatch Logs reads standard output
 */
export function telemetry(
  base: LogFields & { stage: string; function: string },
  write = toStandardOutput,
): FunctionTelemetry {
  const line = (level: string, event: string, fields: LogFields, metrics?: Metrics) =>
    write(JSON.stringify({ level, event, ...base, ...fields, ...(metrics && { ...metrics, _aws: emf(metrics) }) }));
  return {
    info: (event, fields, metrics) => line('info', event, fields, metrics),
    failure: (event, error, fields, metrics) => line('error', event, { ...fields, ...describe(error) }, metrics),
    of: (fields) => telemetry({ ...base, ...fields }, write),
  };
}

function emf(metrics: Metrics) {
  return {
    Timestamp: Date.now(),
    CloudWatchMetrics: [
      {
        Namespace: NAMESPACE,
        Dimensions: [['stage', 'function']],
        Metrics: Object.keys(metrics).map((Name) => ({
          Name,
          Unit: Name.endsWith('Ms') ? 'Milliseconds' : 'Count',
        })),
      },
    ],
  };
}

/** Messages of foreign errors may quote what they choked on; the names of ours are safe and tell enough (I16). */
function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: 'unknown' };
  const status = 'status' in error && typeof error.status === 'number' ? error.status : undefined;
  return { error: error.name, ...(status !== undefined && { status }) };
}

function toStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}

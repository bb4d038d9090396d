import type { Invocation } from '../execution-environment.ts';
import type { QueueState } from '../sqs-emulator.ts';
import type { MetricStore } from './metric-store.ts';

/** What AWS itself says of functions, queues and the HTTP API, by the names and dimensions that it says it under. */
export function awsMetrics(store: MetricStore, now: () => number) {
  const put = (namespace: string, dimensions: Record<string, string>, values: Record<string, number>) => {
    for (const [name, value] of Object.entries(values)) store.put({ namespace, name, dimensions }, value, now());
  };
  return {
    invoked: (FunctionName: string, invocation: Invocation, durationMs: number) =>
      put(
        'AWS/Lambda',
        { FunctionName },
        {
          Invocations: 1,
          Errors: invocation.ok ? 0 : 1,
          Duration: durationMs,
          // Here an invocation that is one too many waits.
          Throttles: 0,
        },
      ),
    answered: (ApiId: string, status: number) =>
      put(
        'AWS/ApiGateway',
        { ApiId },
        {
          Count: 1,
          '4xx': status >= 400 && status < 500 ? 1 : 0,
          '5xx': status >= 500 ? 1 : 0,
        },
      ),
    queued: ({ name: QueueName, visible, oldestSentAt }: QueueState) =>
      put(
        'AWS/SQS',
        { QueueName },
        {
          ApproximateNumberOfMessagesVisible: visible,
          ApproximateAgeOfOldestMessage: oldestSentAt === undefined ? 0 : (now() - oldestSentAt) / 1000,
        },
      ),
  };
}

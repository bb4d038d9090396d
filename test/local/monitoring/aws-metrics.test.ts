import { expect, it } from 'vitest';
import { awsMetrics } from '../../../infra/local/monitoring/aws-metrics.ts';
import { MetricStore } from '../../../infra/local/monitoring/metric-store.ts';

/** What AWS says in one metric each: its name and the sum of its values. */
function told(act: (aws: ReturnType<typeof awsMetrics>) => void) {
  const store = new MetricStore(60_000);
  act(awsMetrics(store, () => 100_000));
  const [first] = store.all();
  const values = Object.fromEntries(store.all().map(({ name, total }) => [name, total.sum]));
  return { namespace: first?.namespace, dimensions: first?.dimensions, values };
}

it('an invocation counts, also where it failed, and says when nothing was wrong', () => {
  const failure = { ok: false, error: { errorType: 'E', errorMessage: '' } } as const;
  const aws = told(({ invoked }) => {
    invoked('Fn', { ok: true, payload: '' }, 40);
    invoked('Fn', failure, 2);
  });
  expect(aws).toEqual({
    namespace: 'AWS/Lambda',
    dimensions: { FunctionName: 'Fn' },
    values: { Invocations: 2, Errors: 1, Duration: 42, Throttles: 0 },
  });
});

it('a request to the HTTP API counts by the class of its status', () => {
  const aws = told(({ answered }) => {
    for (const status of [200, 400, 403, 499, 500, 503]) answered('api', status);
  });
  expect(aws).toEqual({
    namespace: 'AWS/ApiGateway',
    dimensions: { ApiId: 'api' },
    values: { Count: 6, '4xx': 3, '5xx': 2 },
  });
});

it.each([
  [40_000, 60],
  [undefined, 0],
])('a queue whose oldest message was sent at %s ms is %d seconds old', (oldestSentAt, age) => {
  expect(told(({ queued }) => queued({ name: 'q.fifo', visible: 3, oldestSentAt }))).toEqual({
    namespace: 'AWS/SQS',
    dimensions: { QueueName: 'q.fifo' },
    values: { ApproximateNumberOfMessagesVisible: 3, ApproximateAgeOfOldestMessage: age },
  });
});

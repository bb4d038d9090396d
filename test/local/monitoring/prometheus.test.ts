import { expect, it } from 'vitest';
import { METRICS } from '#core/metrics.ts';
import type { PromptStore } from '#core/ports.ts';
import { reportGauges } from '../../../functions/reconciler/report-gauges.ts';
import { kindOf } from '../../../infra/local/monitoring/metric-kind.ts';
import { type Metric, MetricStore } from '../../../infra/local/monitoring/metric-store.ts';
import { prometheusText } from '../../../infra/local/monitoring/prometheus.ts';

const ours = (name: string, fn = 'resolver'): Metric => ({
  namespace: 'InteractivePrompts',
  name,
  dimensions: { function: fn },
});

it('is Prometheus text: counters, gauges, summaries, and the alarms', () => {
  const store = new MetricStore(60_000);
  store.put(ours('Answered'), 1, 0);
  store.put(ours('OldestOpenMs', 'reconciler'), 9000, 0);
  store.put(ours('OldestOpenMs', 'reconciler'), 1500, 1);
  store.put(ours('Answered'), 1, 2);
  store.put(ours('TimeToAnswerMs'), 4000, 3);
  store.put({ namespace: 'AWS/ApiGateway', name: '5xx', dimensions: { ApiId: 'a"\\\n' } }, 0, 4);
  const alarm = { name: 'Stack-A', state: 'ALARM', since: '', description: '' } as const;
  expect(prometheusText(store, [alarm, { ...alarm, name: 'Stack-B', state: 'OK' }], 5)).toBe(`\
# HELP interactive_prompts_answered_total an item settled a prompt
# TYPE interactive_prompts_answered_total counter
interactive_prompts_answered_total{function="resolver"} 2
# HELP interactive_prompts_oldest_open_seconds age of the oldest open question
# TYPE interactive_prompts_oldest_open_seconds gauge
interactive_prompts_oldest_open_seconds{function="reconciler"} 1.5
# HELP interactive_prompts_time_to_answer_seconds from the question to its answer, by the host's clock
# TYPE interactive_prompts_time_to_answer_seconds summary
interactive_prompts_time_to_answer_seconds{function="resolver",quantile="0.5"} 4
interactive_prompts_time_to_answer_seconds{function="resolver",quantile="0.9"} 4
interactive_prompts_time_to_answer_seconds{function="resolver",quantile="0.99"} 4
interactive_prompts_time_to_answer_seconds_sum{function="resolver"} 4
interactive_prompts_time_to_answer_seconds_count{function="resolver"} 1
# HELP aws_api_gateway_5xx_total requests that failed
# TYPE aws_api_gateway_5xx_total counter
aws_api_gateway_5xx_total{api_id="a\\"\\\\\\n"} 0
# HELP alarm_firing whether an alarm of the template fires
# TYPE alarm_firing gauge
alarm_firing{alarm="Stack-A"} 1
alarm_firing{alarm="Stack-B"} 0
`);
});

it('has the series of one metric together, and quantiles of the last minutes alone', () => {
  const store = new MetricStore(60_000);
  store.put(ours('Answered', 'a'), 1, 0);
  store.put(ours('TimeToAnswerMs'), 1000, 0);
  store.put(ours('Answered', 'b'), 1, 0);
  const lines = prometheusText(store, [], 60 * 60_000).split('\n');
  expect(lines[2]).toMatch(/function="a"/);
  expect(lines[3]).toMatch(/function="b"/);
  expect(lines).toContain('interactive_prompts_time_to_answer_seconds{function="resolver",quantile="0.5"} NaN');
  expect(lines).toContain('interactive_prompts_time_to_answer_seconds_count{function="resolver"} 1');
});

it('takes for gauges what the reconciler measures, and nothing else of ours', async () => {
  const measured: string[] = [];
  const info = (_event: string, _fields: object, metrics: object = {}) => measured.push(...Object.keys(metrics));
  const store = { gauge: async () => ({ count: 0 }) } as unknown as PromptStore;
  await reportGauges({ store, clock: { now: () => 0 }, telemetry: { info } } as never);
  const gauges = Object.keys(METRICS).filter((name) => kindOf(name) === 'gauge');
  expect(gauges.toSorted()).toEqual(measured.toSorted());
});

it('takes every other metric in milliseconds for a distribution: a sum of them tells nothing', () => {
  const rest = Object.keys(METRICS).filter((name) => name.endsWith('Ms') && kindOf(name) !== 'gauge');
  expect(rest.map(kindOf)).toEqual(['distribution']);
});

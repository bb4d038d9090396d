import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { closeServer, listenOnLoopback, sendJson } from '../loopback-server.ts';
import type { QueueState } from '../sqs-emulator.ts';
import type { StopStack } from '../stop-stack.ts';
import type { Template } from '../template.ts';
import type { MetricAlarm } from './alarm-evaluation.ts';
import { type AlarmStatus, AlarmWatch } from './alarm-watch.ts';
import { awsMetrics } from './aws-metrics.ts';
import { readEmbeddedMetrics } from './embedded-metrics.ts';
import { MetricStore } from './metric-store.ts';
import { prometheusText } from './prometheus.ts';
import { alarmsOf } from './template-alarms.ts';

export type MonitoringSettings = {
  /** 0 for any free one. */
  port: number;
  minuteMs: number;
  queues: () => QueueState[];
  /** Gets a line for each alarm that fires or ends. */
  say: (line: string) => void;
};
export type Monitoring = {
  /** Of `/metrics`, and `/alarms` beside it. */
  url: string;
  metrics: MetricStore;
  metricAlarms: readonly MetricAlarm[];
  alarms(): AlarmStatus[];
  readLine(line: string): void;
  aws: ReturnType<typeof awsMetrics>;
};

/** SQS itself tells once a minute; here a queue is looked at often enough for a short one. */
const QUEUES_EVERY_MS = 2000;
/** Lines of the minute that is over may still be on their way. */
const GRACE_MS = 100;

/**
 * What CloudWatch is on AWS: it collects, watches and shows.
 * @throws TemplateError for an alarm that is not understood here, PortTakenError
 */
export async function startMonitoring(
  template: Template,
  { port, minuteMs, queues, say }: MonitoringSettings,
  stops: StopStack,
): Promise<Monitoring> {
  const now = Date.now;
  const metrics = new MetricStore(minuteMs);
  const aws = awsMetrics(metrics, now);
  const changed = (status: AlarmStatus, before: string) => {
    if (status.state === 'ALARM') say(`ALARM ${status.name}: ${firstSentence(status.description)}`);
    else if (before === 'ALARM') say(`OK ${status.name}`);
  };
  const alarms = alarmsOf(template);
  const watch = new AlarmWatch(alarms, metrics, { now, changed });
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(prometheusText(metrics, watch.statuses(), now()));
    } else if (request.url === '/alarms') sendJson(response, 200, { alarms: watch.statuses() });
    else sendJson(response, 404, { message: 'There are /metrics and /alarms here.' });
  });
  const origin = await listenOnLoopback(server, port);
  stops.add(() => closeServer(server));

  const stopping = new AbortController();
  stops.add(() => stopping.abort());
  const every = async (pauseMs: () => number, act: () => void) => {
    const pause = () => wait(pauseMs(), true, { signal: stopping.signal }).catch(() => false);
    while (await pause()) act();
  };
  const queuesEveryMs = Math.min(QUEUES_EVERY_MS, minuteMs / 2);
  void every(
    () => queuesEveryMs,
    () => queues().forEach(aws.queued),
  );
  void every(
    () => minuteMs - (now() % minuteMs) + GRACE_MS,
    () => watch.evaluateAll(),
  );
  return {
    url: `${origin}/metrics`,
    metrics,
    metricAlarms: alarms.metricAlarms,
    alarms: () => watch.statuses(),
    readLine: (line) => readEmbeddedMetrics(line, metrics),
    aws,
  };
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MetricName } from '#core/metrics.ts';
import type { FunctionName } from '../bundle.ts';
import type { Operators } from './operators.ts';

const FULL_WIDTH = 24;
const MINUTE = Duration.minutes(1);

export type DashboardProps = {
  operators: Operators;
  functions: Record<FunctionName, LambdaFunction>;
  threadItems: { queue: Queue; deadLetterQueue: Queue };
  runnerQueues: ReadonlyMap<string, Queue>;
};

/** One page to look at by day, from what people notice down to what it costs; and the questions to ask the log. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const rows = [alarms(props), flow(props), people(props), debts(props), health(props), cost(props)];
    new CloudWatchDashboard(this, 'Page', {
      dashboardName: Stack.of(this).stackName,
      defaultInterval: Duration.days(1),
      widgets: rows.flatMap(([title, ...widgets]) => [[heading(title)], row(widgets)]),
    });
    for (const [name, queryString] of Object.entries(QUERIES)) {
      new QueryDefinition(this, name, {
        queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
        queryString,
        logGroups: Object.values(props.functions).map(({ logGroup }) => logGroup),
      });
    }
  }
}

type Row = [title: string, ...widgets: ((width: number) => IWidget)[]];

const heading = (markdown: string) => new TextWidget({ markdown: `## ${markdown}`, width: FULL_WIDTH, height: 1 });
const row = (widgets: ((width: number) => IWidget)[]) => widgets.map((widget) => widget(FULL_WIDTH / widgets.length));

/** A graph of metrics of one function of ours, a minute each. */
const graph =
  (title: string, left: IMetric[], unit = '') =>
  (width: number): IWidget =>
    new GraphWidget({ title, left, width, leftYAxis: { min: 0, ...(unit && { label: unit, showUnits: false }) } });

const counts = (operators: Operators, name: FunctionName, metrics: MetricName[]): IMetric[] =>
  metrics.map((metric) => operators.metric(metric, name, 'Sum'));

function alarms({ operators }: DashboardProps): Row {
  return ['Alarms', (width) => new AlarmStatusWidget({ alarms: operators.alarms, width, height: 6 })];
}

function flow({ operators }: DashboardProps): Row {
  return [
    'Flow: what comes in, what is asked, what becomes of it',
    graph(
      'webhooks',
      counts(operators, 'ingest', ['WebhookAccepted', 'WebhookIgnored', 'WebhookMalformed', 'SignatureInvalid']),
    ),
    graph(
      'prompts',
      counts(operators, 'runner-api', ['PromptRaised', 'PromptUnavailable', 'PromptCancelled', 'PromptAdopted']),
    ),
    graph(
      'items',
      counts(operators, 'resolver', [
        'Answered',
        'NextTurn',
        'Ignored',
        'Duplicate',
        'NotAllowed',
        'NamesAnotherPrompt',
      ]),
    ),
  ];
}

function people({ operators }: DashboardProps): Row {
  const waited = (statistic: 'p50' | 'p90') => operators.metric('TimeToAnswerMs', 'resolver', statistic);
  const paths: MetricName[] = [
    'MappedStructured',
    'MappedToken',
    'MappedDenyByDefault',
    'MappedNumber',
    'MappedLabel',
    'MappedText',
    'MappedOther',
    'StructuredRefused',
  ];
  const gauges = ['PromptsOpen', 'OldestOpenMs'] as const;
  return [
    'People: how long they take, and how they answer',
    graph('time to answer', [waited('p50'), waited('p90')], 'ms'),
    graph('how answers were mapped', counts(operators, 'resolver', paths)),
    (width) =>
      new SingleValueWidget({
        title: 'open now',
        width,
        height: 6,
        metrics: gauges.map((name) => operators.metric(name, 'reconciler', 'Maximum')),
      }),
  ];
}

function debts({ operators }: DashboardProps): Row {
  const gauge = (name: MetricName) => operators.metric(name, 'reconciler', 'Maximum');
  return [
    'Debts: what is decided and not yet everywhere',
    graph('oldest', [gauge('OldestUnnotifiedMs'), gauge('OldestUnauditedMs'), gauge('OldestUnacknowledgedMs')], 'ms'),
    graph('how many', [gauge('ThreadsUnfinished'), gauge('OutcomesUnacknowledged')]),
    graph(
      'failures',
      counts(operators, 'resolver', ['NotifyFailure', 'AuditFailure', 'ItemRetried', 'Parked', 'OwnUserUnknown']),
    ),
  ];
}

function health({ functions, threadItems, runnerQueues, operators }: DashboardProps): Row {
  const lambdas = Object.values(functions);
  const age = (queue: Queue) => queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: MINUTE });
  return [
    'Health: queues, functions, races',
    graph('oldest message', [threadItems.queue, ...runnerQueues.values()].map(age), 's'),
    graph(
      'errors and throttles',
      lambdas.flatMap((lambda) => [
        lambda.metricErrors({ period: MINUTE }),
        lambda.metricThrottles({ period: MINUTE }),
      ]),
    ),
    graph('conditional writes lost', [
      ...counts(operators, 'resolver', ['WriteLost', 'WrittenBeforeTheQuestion']),
      ...counts(operators, 'runner-api', ['WriteLost']),
    ]),
  ];
}

function cost({ functions, threadItems }: DashboardProps): Row {
  const lambdas = Object.values(functions);
  return [
    'Cost: invocations, their time, requests to the queue',
    graph(
      'invocations',
      lambdas.map((lambda) => lambda.metricInvocations({ period: MINUTE })),
    ),
    graph(
      'duration',
      lambdas.map((lambda) => lambda.metricDuration({ period: MINUTE, statistic: 'Sum' })),
      'ms',
    ),
    graph('messages received', [
      threadItems.queue.metricNumberOfMessagesReceived({ period: MINUTE }),
      threadItems.queue.metricNumberOfEmptyReceives({ period: MINUTE }),
    ]),
  ];
}

/** Saved in Logs Insights under the stack's name; the runbook sends operators there. */
const QUERIES: Record<string, QueryString> = {
  'story-of-a-prompt': new QueryString({
    fields: ['@timestamp', 'function', 'event', 'outcome', 'because', 'item_id', 'paths', 'error', 'why'],
    filterStatements: ["prompt_id = 'prm_…'"],
    sort: '@timestamp asc',
    limit: 1000,
  }),
  'story-of-a-thread': new QueryString({
    fields: ['@timestamp', 'function', 'event', 'outcome', 'because', 'prompt_id', 'item_id', 'receive_count', 'error'],
    filterStatements: ["group = '…'"],
    sort: '@timestamp asc',
    limit: 1000,
  }),
  'what-became-of-items': new QueryString({
    filterStatements: ["event = 'item_resolved'"],
    statsStatements: ['count(*) by outcome, because, paths'],
  }),
  'what-is-tried-again': new QueryString({
    filterStatements: ["event in ['item_retried', 'audit_owed', 'runner_not_told', 'left_unfinished']"],
    statsStatements: ['count(*), max(receive_count) by event, error, why'],
  }),
  'how-long-people-take': new QueryString({
    filterStatements: ['ispresent(TimeToAnswerMs)'],
    statsStatements: ['count(*), pct(TimeToAnswerMs, 50), pct(TimeToAnswerMs, 90), pct(TimeToAnswerMs, 99) by kind'],
  }),
  'what-was-parked': new QueryString({
    fields: ['@timestamp', 'message_id', 'receive_count', 'why'],
    filterStatements: ["event = 'item_parked'"],
    sort: '@timestamp desc',
  }),
};

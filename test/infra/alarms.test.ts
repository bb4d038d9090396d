import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { METRICS } from '#core/metrics.ts';
import { readable, synthesize } from './synthesized-stack.ts';

const stack = synthesize({ runners: { default: {}, research: {} }, operatorEmail: 'night@example.org' });
const alarms = stack.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
const composite = stack.ofType('AWS::CloudWatch::CompositeAlarm').map(({ Properties }) => Properties);
const runbook = await readFile(new URL('../../infra/runbook.md', import.meta.url), 'utf8');
const PREFIX = 'InteractivePrompts-';

/** A section may be that of several alarms, and of every runner's. */
const headings = [...runbook.matchAll(/^## (.+)$/gm)].flatMap(([, heading = '']) => heading.split(', '));
const headingOf = (name: string) =>
  name.slice(PREFIX.length).replace(/^Runner-.+-(DeadLetters|Waiting)$/, 'Runner-<runner>-$1');

test('there are alarms, each with a name of its own', () => {
  const names = alarms.map(({ AlarmName }) => AlarmName);
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(names).size).toBe(names.length);
});

test('the runbook has no section for an alarm that is not there', () => {
  const sections = runbook.split('\n## ').filter((section) => section.includes('**Means.**'));
  const described = sections.flatMap((section) => section.split('\n')[0]?.split(', ') ?? []);
  const there = new Set([...alarms, ...composite].map(({ AlarmName }) => headingOf(AlarmName)));
  expect(described.filter((name) => !there.has(name))).toEqual([]);
});

describe.each([...alarms, ...composite].map((alarm) => [alarm.AlarmName, alarm] as const))('%s', (name, alarm) => {
  test('has a section of the runbook under its exact name, with what it means, where to look, what to do', () => {
    expect(name.startsWith(PREFIX)).toBe(true);
    expect(headings).toContain(headingOf(name));
    const section = runbook.split('\n## ').find((text) => text.split('\n')[0]?.split(', ').includes(headingOf(name)));
    for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(section).toContain(part);
  });

  test('says how urgent it is, what it means for people, and where the runbook is', () => {
    expect(alarm.AlarmDescription).toMatch(
      /^\[(page|ticket|information)\] [A-Z].+\. What to do: infra\/runbook\.md, ".+"\.$/,
    );
    expect(alarm.AlarmDescription).toContain(`"${name.slice(PREFIX.length)}"`);
  });

  test('calls the operators, unless it is for information', () => {
    const topics = ['OperatorsTopic'];
    const isInformation = alarm.AlarmDescription.startsWith('[information]');
    for (const actions of [alarm.AlarmActions ?? [], alarm.OKActions ?? []]) {
      expect(actions.map(readable)).toEqual(isInformation ? [] : topics);
    }
  });
});

describe('what the alarms watch', () => {
  const ours = alarms.filter(({ Namespace }) => Namespace === 'InteractivePrompts');
  test.each(ours.map(({ AlarmName, MetricName, Dimensions }) => [AlarmName, MetricName, Dimensions]))(
    '%s: %s is a metric of the functions, of this stage',
    (_, metric, dimensions) => {
      expect(Object.keys(METRICS)).toContain(metric);
      expect(dimensions).toEqual([
        { Name: 'function', Value: expect.stringMatching(/^(ingest|resolver|runner-api|reconciler)$/) },
        { Name: 'stage', Value: 'prod' },
      ]);
    },
  );

  test('a reconciler that does not run says nothing, and that is the alarm', () => {
    const stopped = alarms.find(({ AlarmName }) => AlarmName === `${PREFIX}ReconcilerStopped`);
    expect(stopped).toMatchObject({
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    });
    const others = alarms.filter((alarm) => alarm !== stopped);
    expect(new Set(others.map(({ TreatMissingData }) => TreatMissingData))).toEqual(new Set(['notBreaching']));
  });

  test.each(['ResolverThreadItems', 'RunnerQueuesdefaultrunner', 'RunnerQueuesresearchrunner'])(
    'one message in the dead-letter queue of %s is enough',
    (queue) => {
      const watching = alarms.filter(({ Dimensions }) => readable(Dimensions?.[0]?.Value) === `${queue}Dlq`);
      expect(watching).toMatchObject([{ Threshold: 0, EvaluationPeriods: 1, Statistic: 'Maximum', Period: 60 }]);
    },
  );

  test('the composite is made of every alarm that stops answers', () => {
    const rule = JSON.stringify(composite[0].AlarmRule);
    for (const name of ['ThreadItemsDeadLetters', 'AnswersNotDelivered', 'OwnUserUnknown', 'ResolverErrors']) {
      expect(rule).toContain(name);
    }
    expect(rule).not.toContain('QuestionOpenForAWeek');
  });
});

test('operators are told by mail where the stage says so, over TLS alone', () => {
  expect(
    stack.ofType('AWS::SNS::Subscription').map(({ Properties }) => [Properties.Protocol, Properties.Endpoint]),
  ).toEqual([['email', 'night@example.org']]);
  expect(JSON.stringify(stack.ofType('AWS::SNS::TopicPolicy'))).toContain('aws:SecureTransport');
  expect(synthesize().ofType('AWS::SNS::Subscription')).toEqual([]);
});

describe('the dashboard', () => {
  const body = JSON.stringify(stack.ofType('AWS::CloudWatch::Dashboard')[0]?.Properties.DashboardBody);
  test.each(['Alarms', 'Flow', 'People', 'Debts', 'Health', 'Cost'])('has a row: %s', (row) => {
    expect(body).toContain(`## ${row}`);
  });
  test('shows metrics that the functions emit, and no others', () => {
    const shown = [...body.matchAll(/InteractivePrompts\\",\\"(\w+)/g)].map(([, name = '']) => name);
    expect(new Set(shown).size).toBeGreaterThan(25);
    expect(shown.filter((name) => !Object.hasOwn(METRICS, name))).toEqual([]);
  });
  test('has saved queries, the story of one prompt among them', () => {
    const names = stack.ofType('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties.Name);
    expect(names).toContain('InteractivePrompts/story-of-a-prompt');
  });
});

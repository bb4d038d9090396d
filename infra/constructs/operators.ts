import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { MetricName } from '#core/metrics.ts';
import type { FunctionName } from '../bundle.ts';
import type { Stage } from '../config.ts';

const RUNBOOK = 'infra/runbook.md';
const NAMESPACE = 'InteractivePrompts';
const MINUTE = Duration.minutes(1);

/** `page`: somebody waits for an answer that was given, now. `ticket`: before the day ends. `information`: nobody is called. */
export type Severity = 'page' | 'ticket' | 'information';

export type AlarmProps = {
  severity: Severity;
  /** What it means for people: whole sentences. */
  means: string;
  metric: IMetric;
  /** It fires above this; with `below`, under it. */
  threshold: number;
  below?: true;
  /** Of so many minutes so many must be bad. */
  minutes: number;
  bad?: number;
  /** What silence means; a metric that only comes with a fault is silent when all is well. */
  silence?: 'good' | 'bad';
  /** While it fires, answers do not reach agents. */
  stopsAnswers?: true;
};

/** Who is called, and by what: every alarm of the stack is made here, so that none lacks its meaning and its runbook. */
export class Operators extends Construct {
  readonly alarms: Alarm[] = [];
  readonly #topic: Topic;
  readonly #stage: Stage;
  readonly #stopping: Alarm[] = [];

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id);
    this.#stage = stage;
    this.#topic = new Topic(this, 'Topic', { displayName: Stack.of(this).stackName, enforceSSL: true });
    if (stage.operatorEmail !== undefined) this.#topic.addSubscription(new EmailSubscription(stage.operatorEmail));
  }

  /** A metric of ours (functions/core/metrics.ts), a minute's worth. */
  metric(metricName: MetricName, functionName: FunctionName, statistic: 'Sum' | 'Maximum' | 'p50' | 'p90'): Metric {
    const dimensionsMap = { stage: this.#stage.name, function: functionName };
    return new Metric({ namespace: NAMESPACE, metricName, dimensionsMap, statistic, period: MINUTE });
  }

  /** @param name the heading of its section in the runbook */
  alarm(scope: Construct, name: string, props: AlarmProps): Alarm {
    const { severity, means, metric, threshold, below, minutes, bad, silence = 'good', stopsAnswers } = props;
    const alarm = new Alarm(scope, name, {
      alarmName: this.#nameOf(name),
      alarmDescription: describe(severity, means, name),
      metric,
      threshold,
      comparisonOperator: below ? ComparisonOperator.LESS_THAN_THRESHOLD : ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: minutes,
      ...(bad !== undefined && { datapointsToAlarm: bad }),
      treatMissingData: silence === 'good' ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
    });
    if (severity !== 'information') this.#call(alarm);
    this.alarms.push(alarm);
    if (stopsAnswers) this.#stopping.push(alarm);
    return alarm;
  }

  /** After all others: the one that says in one line whether answers get through. */
  addComposite(): CompositeAlarm {
    const name = 'AnswersDoNotReachAgents';
    const composite = new CompositeAlarm(this, name, {
      compositeAlarmName: this.#nameOf(name),
      alarmDescription: describe('page', 'People answer, and agents go on waiting.', name),
      alarmRule: AlarmRule.anyOf(...this.#stopping),
    });
    this.#call(composite);
    return composite;
  }

  #call(alarm: Alarm | CompositeAlarm): void {
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
  }

  /** Alarm names are the account's, and a stage is a stack of its own. */
  #nameOf(name: string): string {
    return `${Stack.of(this).stackName}-${name}`;
  }
}

function describe(severity: Severity, means: string, name: string): string {
  return `[${severity}] ${means} What to do: ${RUNBOOK}, "${name}".`;
}

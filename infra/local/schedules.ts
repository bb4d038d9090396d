import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Invocation } from './execution-environment.ts';
import { TemplateError } from './intrinsics.ts';
import { ACCOUNT_ID, REGION } from './resource-names.ts';
import { expectOneOf } from './resource-types.ts';
import type { Template } from './template.ts';

type Invoke = (functionId: string, event: unknown) => Promise<Invocation>;

/** Invokes the targets of the template's schedules every few seconds, whatever their rate; a run never overlaps itself. */
export class Schedules {
  readonly #stopping = new AbortController();
  readonly #runs: Promise<void>[];

  constructor(template: Template, everyMs: number, invoke: Invoke) {
    this.#runs = template
      .ofType('AWS::Events::Rule')
      .flatMap((rule) => targetsOf(template, rule).map((target) => this.#run(template, rule, target, everyMs, invoke)));
  }

  /** Starts no further run; resolves when the present ones are done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#runs);
  }

  async #run(template: Template, rule: string, functionId: string, everyMs: number, invoke: Invoke): Promise<void> {
    const pause = () => wait(everyMs, true, { signal: this.#stopping.signal }).catch(() => false);
    while (await pause()) await invoke(functionId, scheduledEvent(template.attribute(rule, 'Arn', rule)));
  }
}

/** The logical ids of the functions that a rule invokes. */
function targetsOf(template: Template, rule: string): string[] {
  if (!/^rate\(/.test(template.text(rule, 'ScheduleExpression'))) {
    throw new TemplateError(rule, 'only schedules of the form rate(...) are supported by the local stack');
  }
  expectOneOf(template, rule, 'State', ['ENABLED']);
  const targets = template.property(rule, 'Targets') as Record<string, unknown>[];
  return targets.map(({ Arn, Id: _id, RetryPolicy: _next, ...others }) => {
    const stranger = Object.keys(others)[0];
    if (stranger) throw new TemplateError(rule, `Targets ${stranger} is not supported by the local stack`);
    return template.resourceWith('Arn', Arn, rule);
  });
}

function scheduledEvent(ruleArn: string): Record<string, unknown> {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT_ID,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [ruleArn],
    detail: {},
  };
}

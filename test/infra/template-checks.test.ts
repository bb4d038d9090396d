import { App, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { describe, expect, test, vi } from 'vitest';
import { addTemplateChecks } from '../../infra/template-checks.ts';
import { VisibilityTimeoutRule } from '../../infra/visibility-timeout-rule.ts';
import { withStack } from './synthesized-stack.ts';

const SETTINGS = { runners: { default: {}, research: { trusted: ['ec2.amazonaws.com'] } } };

/** As `npm run synth` does, but for CDK's own check. @throws Error with the findings */
function check(stack: Stack): void {
  const app = stack.node.root as App;
  addTemplateChecks(app);
  app.synth();
}

describe('the stack', () => {
  test.each(['prod', 'trial'])('of the stage %s passes every check', (stage) => {
    withStack(SETTINGS, stage, (stack) => expect(() => check(stack)).not.toThrow());
  });

  test('would not, with a queue that anybody may read over plain HTTP', () => {
    withStack(SETTINGS, 'prod', (stack) => {
      new Queue(stack, 'Careless');
      expect(() => check(stack)).toThrow(/requests to use SSL[\s\S]*InteractivePrompts\/Careless/);
    });
  });

  test('would not, with a queue that hides its messages too briefly', () => {
    withStack(SETTINGS, 'prod', (stack) => {
      feed(stack, { visibilityTimeout: Duration.seconds(59), timeout: Duration.seconds(10) });
      expect(() => check(stack)).toThrow(/hides a message for 59 s/);
    });
  });
});

describe('acknowledgements', () => {
  const { acknowledged, findings } = withoutAcknowledgements();

  test('each is for a finding of its construct, and none is left over from one that was mended', () => {
    expect(acknowledged.length).toBeGreaterThan(0);
    const idle = acknowledged.filter(
      ({ id, at }) => !findings.some((finding) => finding.id === id && finding.at.startsWith(`${at}/`)),
    );
    expect(idle).toEqual([]);
  });

  test('each gives its reason in a sentence', () => {
    for (const { reason } of acknowledged) expect(reason).toMatch(/^[A-Z].{40,}\.$/);
  });

  test('are these and no others', () => {
    const rules = acknowledged.map(({ id }) => id.replace(/\[Resource::arn:.*\/v1\//, '[…/v1/'));
    expect([...new Set(rules)].sort()).toEqual([
      'AwsSolutions-APIG4',
      'AwsSolutions-IAM5[Resource::*]',
      'AwsSolutions-IAM5[…/v1/threads/*/*/*/attach]',
      'AwsSolutions-IAM5[…/v1/threads/*/*/*/prompts/*/ack]',
      'AwsSolutions-IAM5[…/v1/threads/*/*/*/prompts/*/cancel]',
      'AwsSolutions-IAM5[…/v1/threads/*/*/*/prompts]',
      'AwsSolutions-SMG4',
      'Serverless-EventBusDLQ',
      'Serverless-LambdaAsyncFailureDestination',
      'Serverless-LambdaDLQ',
      'Serverless-LambdaEventSourceMappingDestination',
      'Serverless-SQSRedrivePolicy',
    ]);
  });
});

describe('a queue that feeds a function', () => {
  test.each([
    [180, 30],
    [18, undefined],
    [undefined, 5],
  ])('may hide a message for %s s when the time-out is %s s', (visibility, timeout) => {
    expect(faultsOf(visibility, timeout)).toEqual([]);
  });

  test.each([
    [179, 30, 'hides a message for 179 s, which must be at least 180 s: six times the 30 s of the function'],
    [0, 1, 'hides a message for 0 s, which must be at least 6 s: six times the 1 s of the function'],
    [17, undefined, 'hides a message for 17 s, which must be at least 18 s: six times the 3 s of the function'],
    [undefined, 6, 'hides a message for 30 s, which must be at least 36 s: six times the 6 s of the function'],
  ])('fails with both names when it hides one for %s s and the time-out is %s s', (visibility, timeout, says) => {
    expect(faultsOf(visibility, timeout)).toEqual([`The queue Stack/Jobs/Resource ${says} Stack/Work/Resource.`]);
  });

  test('fails when it is not in the stack, since nobody knows how long it hides a message', () => {
    const stack = new Stack(new App(), 'Stack');
    const elsewhere = Queue.fromQueueArn(stack, 'Elsewhere', 'arn:aws:sqs:eu-central-1:111122223333:elsewhere');
    lambdaOf(stack).addEventSourceMapping('Jobs', { eventSourceArn: elsewhere.queueArn });
    expect(validate(stack)).toEqual([
      'The event source Stack/Work/Jobs/Resource cannot be checked, since its queue or its function is not in this stack.',
    ]);
  });
});

/** What the stack acknowledges, and what the packs find in it as if nothing were. */
function withoutAcknowledgements() {
  const acknowledged: { at: string; id: string; reason: string }[] = [];
  const validations = vi.spyOn(Validations, 'of').mockImplementation((scope) => {
    const acknowledge = (rule: { id: string; reason: string }) => acknowledged.push({ at: scope.node.path, ...rule });
    return { acknowledge } as unknown as Validations;
  });
  const violations = withStack(SETTINGS, 'prod', (stack) =>
    [new AwsSolutionsChecks(), new ServerlessChecks()].flatMap(
      (pack) => pack.validateScope(stack.node.root).violations,
    ),
  );
  validations.mockRestore();
  const findings = violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = '' }) => ({ id: ruleName, at: constructPath })),
  );
  return { acknowledged, findings };
}

type Times = { visibilityTimeout?: Duration; timeout?: Duration };
const seconds = (value: number | undefined) => (value === undefined ? undefined : Duration.seconds(value));

function faultsOf(visibility: number | undefined, timeout: number | undefined): string[] {
  const stack = new Stack(new App(), 'Stack');
  const times = { visibilityTimeout: seconds(visibility), timeout: seconds(timeout) };
  feed(stack, Object.fromEntries(Object.entries(times).filter(([, value]) => value)));
  return validate(stack);
}

function feed(stack: Stack, { visibilityTimeout, timeout }: Times): void {
  const queue = new Queue(stack, 'Jobs', { ...(visibilityTimeout && { visibilityTimeout }) });
  lambdaOf(stack, timeout).addEventSourceMapping('Jobs', { eventSourceArn: queue.queueArn });
}

function lambdaOf(stack: Stack, timeout?: Duration): LambdaFunction {
  const code = Code.fromInline('exports.handler = () => {}');
  return new LambdaFunction(stack, 'Work', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code,
    ...(timeout && { timeout }),
  });
}

function validate(stack: Stack): string[] {
  const context = { appConstruct: stack.node.root, templatePaths: [], stackTemplates: [] };
  return new VisibilityTimeoutRule().validate(context).violations.map(({ description }) => description);
}

import { describe, expect, test } from 'vitest';
import { FUNCTION_IDS, readable, synthesize } from './synthesized-stack.ts';

const stack = synthesize({ runners: { default: {}, research: {} }, trustWebhookItem: false });

const PROMPT_ENVIRONMENT = {
  STAGE: 'prod',
  TABLE_NAME: 'PromptsTable',
  RESOLVER_QUEUE_URL: 'ResolverThreadItemsQueue',
  RUNNER_QUEUE_URLS: '{"default":"RunnerQueuesdefaultrunnerQueue","research":"RunnerQueuesresearchrunnerQueue"}',
  THREAD_HOST_URL: 'ThreadHostUrl',
  THREAD_HOST_KEY_ARN: 'SecretsThreadHostKey',
};
const SETTLE_PROMPTS = [
  'dynamodb:BatchGetItem PromptsTable',
  'dynamodb:BatchWriteItem PromptsTable',
  'dynamodb:PutItem PromptsTable',
  'secretsmanager:GetSecretValue SecretsThreadHostKey',
  'sqs:SendMessage RunnerQueuesdefaultrunnerQueue',
  'sqs:SendMessage RunnerQueuesresearchrunnerQueue',
];

/** What a function is given: every limit, every variable, every right. */
const FUNCTIONS = [
  {
    name: 'ingest',
    limits: { Timeout: 10, MemorySize: 256, ReservedConcurrentExecutions: 20 },
    environment: {
      STAGE: 'prod',
      RESOLVER_QUEUE_URL: 'ResolverThreadItemsQueue',
      WEBHOOK_SECRETS_ARN: 'SecretsWebhookSecrets',
      TRUST_WEBHOOK_ITEM: 'false',
    },
    grants: ['secretsmanager:GetSecretValue SecretsWebhookSecrets', 'sqs:SendMessage ResolverThreadItemsQueue'],
  },
  {
    name: 'resolver',
    limits: { Timeout: 30, MemorySize: 512 },
    environment: PROMPT_ENVIRONMENT,
    grants: [
      ...SETTLE_PROMPTS,
      'sqs:ChangeMessageVisibility ResolverThreadItemsQueue',
      'sqs:DeleteMessage ResolverThreadItemsQueue',
      'sqs:GetQueueAttributes ResolverThreadItemsQueue',
      'sqs:ReceiveMessage ResolverThreadItemsQueue',
    ],
  },
  {
    name: 'runner-api',
    limits: { Timeout: 29, MemorySize: 512 },
    environment: { ...PROMPT_ENVIRONMENT, RUNNER_ROLE_PREFIX: 'InteractivePrompts-runner-' },
    grants: [
      ...SETTLE_PROMPTS,
      'dynamodb:UpdateItem PromptsTable',
      'dynamodb:Query PromptsTable',
      'sqs:SendMessage ResolverThreadItemsQueue',
    ],
  },
  {
    name: 'reconciler',
    limits: { Timeout: 55, MemorySize: 512, ReservedConcurrentExecutions: 1 },
    environment: PROMPT_ENVIRONMENT,
    grants: [...SETTLE_PROMPTS, 'dynamodb:Query PromptsTable/index/work'],
  },
] as const;

test('there are these functions and no others', () => {
  expect(stack.ofType('AWS::Lambda::Function')).toHaveLength(FUNCTIONS.length);
});

describe.each(FUNCTIONS)('$name', ({ name, limits, environment, grants }) => {
  const id = FUNCTION_IDS[name];
  const { Properties } = stack.named(id);
  const log = id.replace(/Function$/, 'Log');

  test('runs on Node 24 with its own limits', () => {
    const { Timeout, MemorySize, ReservedConcurrentExecutions } = Properties;
    expect({ Timeout, MemorySize, ReservedConcurrentExecutions }).toEqual({
      ReservedConcurrentExecutions: undefined,
      ...limits,
    });
    expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
  });

  test('has exactly its environment', () => {
    const variables = Object.entries(Properties.Environment.Variables);
    expect(Object.fromEntries(variables.map(([key, value]) => [key, readable(value)]))).toEqual(environment);
  });

  test('may do exactly what it does', () => {
    const ownLog = [`logs:CreateLogStream ${log}`, `logs:PutLogEvents ${log}`];
    const ownTraces = ['xray:PutTelemetryRecords *', 'xray:PutTraceSegments *'];
    expect(stack.grantsOf(id)).toEqual([...grants, ...ownLog, ...ownTraces].sort());
  });

  test('is traced', () => {
    expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
  });

  test('logs JSON to a group that forgets, and says what its failure means', () => {
    expect(Properties.LoggingConfig).toEqual({ LogFormat: 'JSON', LogGroup: { Ref: stack.named(log).id } });
    expect(stack.named(log).Properties.RetentionInDays).toBe(90);
    expect(Properties.Description).toMatch(/^What its failure means: [A-Z].+\.$/);
  });
});

test('the resolver takes batches, gives back single failures, and never waits for a batch to fill', () => {
  const [mapping, ...others] = stack.ofType('AWS::Lambda::EventSourceMapping');
  expect(others).toEqual([]);
  expect(mapping?.Properties).toEqual({
    BatchSize: 10,
    EventSourceArn: { 'Fn::GetAtt': [stack.named('ResolverThreadItemsQueue').id, 'Arn'] },
    FunctionName: { Ref: stack.named('ResolverResolveFunction').id },
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  });
});

test('the reconciler runs every minute, and a missed run is not made up for', () => {
  const { Properties } = stack.named('ReconcilerEveryMinute');
  expect(Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
  expect(readable(Properties.Targets[0].Arn)).toBe('ReconcilerReconcileFunction');
  expect(Properties.Targets[0].RetryPolicy.MaximumRetryAttempts).toBe(0);
  const [invocation] = stack.ofType('AWS::Lambda::EventInvokeConfig');
  expect(invocation?.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
});

describe('wildcards', () => {
  const documents = Object.values(stack.resources).flatMap(({ Type, Properties }) =>
    [Properties.PolicyDocument, Properties.AssumeRolePolicyDocument]
      .filter((document) => document !== undefined)
      .flatMap(({ Statement }) =>
        Statement.map((statement: object) => ({ Type, statement: JSON.stringify(statement) })),
      ),
  );

  test('no statement that allows something has one, but for traces and for the ids in the paths of the runner API', () => {
    const allowing = documents.filter(({ statement }) => !statement.includes('"Effect":"Deny"'));
    expect(allowing.length).toBeGreaterThan(FUNCTIONS.length);
    const wild = allowing.filter(({ statement }) => statement.includes('*'));
    const actions = wild.flatMap(({ statement }) => JSON.parse(statement).Action);
    expect([...new Set(actions)].sort()).toEqual([
      'execute-api:Invoke',
      'xray:PutTelemetryRecords',
      'xray:PutTraceSegments',
    ]);
  });

  test('the permitted ones refuse everything that is not TLS, or name any stage and method of our own API', () => {
    const denying = documents.filter(({ statement }) => statement.includes('"Effect":"Deny"'));
    const ofTls = ['AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy'];
    expect(denying.filter(({ Type }) => !ofTls.includes(Type))).toEqual([]);
    const sources = stack.ofType('AWS::Lambda::Permission').map(({ Properties }) => readable(Properties.SourceArn));
    const wild = sources.filter((source) => source.includes('*'));
    expect(wild).toHaveLength(5);
    for (const source of wild) expect(source).toMatch(/:HttpApi\/\*\/\*\/[^*]+$/);
  });

  test("no role has a policy of AWS's own", () => {
    for (const { Properties } of stack.ofType('AWS::IAM::Role')) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    }
  });
});

test('while the resolver does not know whose key it holds, an alarm says what that means', () => {
  expect(stack.named('ResolverOwnUserUnknown').Properties).toMatchObject({
    Namespace: 'InteractivePrompts',
    MetricName: 'OwnUserUnknown',
    Dimensions: [
      { Name: 'function', Value: 'resolver' },
      { Name: 'stage', Value: 'prod' },
    ],
    EvaluationPeriods: 3,
    Threshold: 0,
    ComparisonOperator: 'GreaterThanThreshold',
  });
});

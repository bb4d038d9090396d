import { TemplateError } from './intrinsics.ts';
import type { Resource, Template } from './template.ts';

/**
 * What the local stack makes of a resource type: the properties it follows, and those it leaves out on purpose, with the
 * reason. Whatever is in neither list stops the start: better no local stack than one that differs unseen.
 */
type Emulated = { follows: readonly string[]; leavesOut: Readonly<Record<string, string>> };

const FOR_PEOPLE = 'for people who look at the AWS console';
const IDENTITY = 'an access key stands for each role';
const ENCRYPTION = 'emulators do not encrypt';
const NOT_CALLED = 'the terminal says it, and nobody is called';
const GUARD = 'guards data that a local stack does not have';

const EMULATED: Readonly<Record<string, Emulated>> = {
  'AWS::DynamoDB::GlobalTable': {
    follows: ['TableName', 'AttributeDefinitions', 'KeySchema', 'GlobalSecondaryIndexes', 'BillingMode'],
    leavesOut: {
      Replicas: `one region here, and what else is in there ${GUARD}`,
      TimeToLiveSpecification: 'dynalite has no expiry, and expiry carries no meaning here: it only clears away',
      SSESpecification: ENCRYPTION,
    },
  },
  'AWS::SQS::Queue': {
    follows: [
      'QueueName',
      'FifoQueue',
      'ContentBasedDeduplication',
      'DeduplicationScope',
      'FifoThroughputLimit',
      'DelaySeconds',
      'MaximumMessageSize',
      'MessageRetentionPeriod',
      'ReceiveMessageWaitTimeSeconds',
      'RedrivePolicy',
      'VisibilityTimeout',
    ],
    leavesOut: { SqsManagedSseEnabled: ENCRYPTION, Tags: FOR_PEOPLE },
  },
  'AWS::Lambda::Function': {
    follows: [
      'Code',
      'Environment',
      'FunctionName',
      'Handler',
      'MemorySize',
      'ReservedConcurrentExecutions',
      'Role',
      'Runtime',
      'Timeout',
    ],
    leavesOut: {
      Architectures: "bundles of JavaScript run on this machine's",
      Description: FOR_PEOPLE,
      LoggingConfig: 'logs go to one file, named at the start',
      Tags: FOR_PEOPLE,
      TracingConfig: 'there is no X-Ray here',
    },
  },
  'AWS::Lambda::EventSourceMapping': {
    follows: ['BatchSize', 'Enabled', 'EventSourceArn', 'FunctionName', 'FunctionResponseTypes', 'ScalingConfig'],
    leavesOut: { Tags: FOR_PEOPLE },
  },
  'AWS::ApiGatewayV2::Api': {
    follows: ['ProtocolType'],
    leavesOut: { Name: FOR_PEOPLE, Description: FOR_PEOPLE, Tags: FOR_PEOPLE },
  },
  'AWS::ApiGatewayV2::Stage': {
    follows: ['ApiId', 'StageName'],
    leavesOut: {
      AccessLogSettings: 'there is no access log',
      AutoDeploy: 'routes are served as soon as they exist',
      DefaultRouteSettings: 'nobody throttles one machine',
      RouteSettings: 'nobody throttles one machine',
      Description: FOR_PEOPLE,
      Tags: FOR_PEOPLE,
    },
  },
  'AWS::ApiGatewayV2::Route': { follows: ['ApiId', 'RouteKey', 'Target', 'AuthorizationType'], leavesOut: {} },
  'AWS::ApiGatewayV2::Integration': {
    follows: ['ApiId', 'IntegrationType', 'IntegrationUri', 'PayloadFormatVersion'],
    leavesOut: { Description: FOR_PEOPLE },
  },
  'AWS::IAM::Role': {
    follows: ['RoleName', 'Policies'],
    leavesOut: { AssumeRolePolicyDocument: IDENTITY, Description: FOR_PEOPLE, Tags: FOR_PEOPLE },
  },
  'AWS::IAM::Policy': { follows: ['PolicyDocument', 'Roles'], leavesOut: { PolicyName: FOR_PEOPLE } },
  'AWS::SQS::QueuePolicy': { follows: ['PolicyDocument', 'Queues'], leavesOut: {} },
  'AWS::Events::Rule': {
    follows: ['ScheduleExpression', 'State', 'Targets'],
    leavesOut: { Name: FOR_PEOPLE, Description: FOR_PEOPLE, Tags: FOR_PEOPLE },
  },
  'AWS::CloudWatch::Alarm': {
    follows: [
      'AlarmDescription',
      'AlarmName',
      'ComparisonOperator',
      'DatapointsToAlarm',
      'Dimensions',
      'EvaluationPeriods',
      'ExtendedStatistic',
      'MetricName',
      'Namespace',
      'Period',
      'Statistic',
      'Threshold',
      'TreatMissingData',
    ],
    leavesOut: {
      AlarmActions: NOT_CALLED,
      OKActions: NOT_CALLED,
      InsufficientDataActions: NOT_CALLED,
      Tags: FOR_PEOPLE,
    },
  },
  'AWS::CloudWatch::CompositeAlarm': {
    follows: ['AlarmDescription', 'AlarmName', 'AlarmRule'],
    leavesOut: {
      AlarmActions: NOT_CALLED,
      OKActions: NOT_CALLED,
      InsufficientDataActions: NOT_CALLED,
      Tags: FOR_PEOPLE,
    },
  },
  'AWS::SecretsManager::Secret': {
    follows: ['Name'],
    leavesOut: {
      Description: FOR_PEOPLE,
      GenerateSecretString: 'the values come from the options of the start, where an operator would put them',
      Tags: FOR_PEOPLE,
    },
  },
};

/** Types that the local stack does without, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'statistics for the CDK team',
  'AWS::CloudWatch::Dashboard': FOR_PEOPLE,
  'AWS::Lambda::EventInvokeConfig': 'retries of schedules: here the next run comes seconds later',
  'AWS::Lambda::Permission': 'whoever is in the template may invoke',
  'AWS::Logs::LogGroup': 'logs go to one file, named at the start',
  'AWS::Logs::MetricFilter': 'metrics here are only those that functions emit themselves',
  'AWS::Logs::QueryDefinition': 'logs go to one file, to be searched by hand',
  'AWS::SNS::Subscription': NOT_CALLED,
  'AWS::SNS::Topic': NOT_CALLED,
  'AWS::SNS::TopicPolicy': NOT_CALLED,
};

/** Attributes beside a resource's properties that mean something to CloudFormation alone. */
const BESIDE_PROPERTIES = [
  'Type',
  'Properties',
  'Condition',
  'DependsOn',
  'Metadata',
  'DeletionPolicy',
  'UpdateReplacePolicy',
];

/** @throws TemplateError for the first type or property that is in no list */
export function checkResources(template: Template): void {
  for (const [logicalId, resource] of template.resources) checkResource(logicalId, resource);
}

function checkResource(logicalId: string, resource: Resource): void {
  const stranger = Object.keys(resource).find((name) => !BESIDE_PROPERTIES.includes(name));
  if (stranger) throw new TemplateError(logicalId, `${stranger} is not supported by the local stack`);
  if (Object.hasOwn(LEFT_OUT, resource.Type)) return;
  const emulated = Object.hasOwn(EMULATED, resource.Type) && EMULATED[resource.Type];
  if (!emulated) throw new TemplateError(logicalId, `the type ${resource.Type} is not supported by the local stack`);
  for (const property of Object.keys(resource.Properties ?? {})) {
    if (!emulated.follows.includes(property) && !Object.hasOwn(emulated.leavesOut, property)) {
      throw new TemplateError(logicalId, `${resource.Type} ${property} is not supported by the local stack`);
    }
  }
}

/** @throws TemplateError unless an emulated property has a value that is followed too */
export function expectOneOf(
  template: Template,
  logicalId: string,
  property: string,
  followed: readonly unknown[],
): void {
  const value = template.property(logicalId, property);
  if (followed.includes(value)) return;
  throw new TemplateError(logicalId, `${property} ${JSON.stringify(value)} is not supported by the local stack`);
}

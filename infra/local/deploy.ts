import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Addresses } from './addresses.ts';
import { createFunctions } from './functions.ts';
import { AccessControl } from './iam/access-control.ts';
import { principalsOf } from './iam/principals.ts';
import { iamAuthorizer } from './iam-authorizer.ts';
import { holdIdentity, type Identity } from './identity.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { type Monitoring, startMonitoring } from './monitoring/start.ts';
import { createQueues } from './queues.ts';
import { ACCOUNT_ID, nameResources, REGION, routeArn } from './resource-names.ts';
import { checkResources } from './resource-types.ts';
import { Schedules } from './schedules.ts';
import { type Servers, type ServersOptions, startServers } from './servers.ts';
import { StopStack } from './stop-stack.ts';
import { createTables } from './tables.ts';
import { Template } from './template.ts';
import { type Invoke, routesOf, type SqsAs, startEventSources } from './triggers.ts';

export type DeployOptions = Omit<ServersOptions, 'identity' | 'guard'> & {
  /** The folder with a synthesized template and its assets. */
  assembly: string;
  /** Instead of a generated one. */
  webhookSecrets?: string[];
  scheduleEveryMs: number;
  /** How long an alarm's minute lasts; the default is a minute. */
  minuteMs?: number;
  /** Gets what the terminal should show: alarms that fire and end. */
  say?: (line: string) => void;
};
export type LocalStack = {
  addresses: Addresses;
  monitoring: Monitoring;
  /** What the functions' roles allow and no call has needed so far: `function: action on resource`. */
  unusedGrants(): string[];
  stop(): Promise<void>;
};

/** What runs when the stack stops may finish within this; the rest is killed, and comes again after a restart. */
const DRAIN_MS = 1000;
const MINUTE_MS = 60_000;
/** After those of startServers. */
const MONITORING_PORT = 5;

/**
 * Deploys a synthesized template on this machine. A start that fails stops what it started.
 * @throws TemplateError, PortTakenError, DataFolderError
 */
export async function deployLocally(options: DeployOptions): Promise<LocalStack> {
  const stops = new StopStack();
  try {
    const { addresses, monitoring, access } = await deploy(options, stops);
    return { addresses, monitoring, unusedGrants: () => access.unusedGrants(), stop: () => stops.stopAll() };
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

/** In this order: what listens, what it is called, what stores, what runs, and what sets it in motion. */
async function deploy(options: DeployOptions, stops: StopStack) {
  const identity = holdIdentity(options.dataDir, stops);
  const access = new AccessControl(identity.credentials.accessKeyId, options.log);
  const servers = await startServers({ ...options, identity, guard: access.guard }, stops);

  const template = readTemplate(options.assembly, { ThreadHostUrl: servers.host.url });
  nameResources(template, { gateway: servers.gatewayUrl, sqs: servers.sqsUrl });
  checkResources(template);
  access.admit(principalsOf(template));
  const monitoring = await startMonitoring(
    template,
    {
      port: options.port && options.port + MONITORING_PORT,
      minuteMs: options.minuteMs ?? MINUTE_MS,
      queues: servers.queues,
      say: options.say ?? (() => {}),
    },
    stops,
  );

  const webhookSecrets = options.webhookSecrets?.length ? options.webhookSecrets : [identity.webhookSecret];
  servers.secrets.set(template.output('WebhookSecretsArn'), JSON.stringify(webhookSecrets));
  servers.secrets.set(template.output('ThreadHostKeyArn'), servers.host.runner.api_key);

  const { credentials } = identity;
  const sqsAs = (accessKeyId: string): SQSClient => {
    const sqs = new SQSClient({
      region: REGION,
      endpoint: servers.sqsUrl,
      credentials: { ...credentials, accessKeyId },
    });
    stops.add(() => sqs.destroy());
    return sqs;
  };
  const dynamodb = new DynamoDBClient({ region: REGION, endpoint: servers.dynamodbUrl, credentials });
  stops.add(() => dynamodb.destroy());
  await Promise.all([createQueues(template, sqsAs(credentials.accessKeyId)), createTables(template, dynamodb)]);

  const functions = createFunctions(template, {
    assembly: options.assembly,
    endpoints: { sqs: servers.sqsUrl, dynamodb: servers.dynamodbUrl, secretsManager: servers.secretsManagerUrl },
    secretAccessKey: credentials.secretAccessKey,
    log: (functionId, line) => {
      monitoring.readLine(line);
      options.log(functionId, line);
    },
    ended: monitoring.aws.invoked,
  });
  await setInMotion(template, functions, servers, { access, identity, sqsAs, monitoring, ...options }, stops);
  servers.host.deliverTo({ url: template.output('WebhookUrl'), secret: String(webhookSecrets[0]) });
  const addresses = addressesOf(template, servers, identity, monitoring, String(webhookSecrets[0]));
  return { addresses, monitoring, access };
}

type Motion = DeployOptions & { access: AccessControl; identity: Identity; sqsAs: SqsAs; monitoring: Monitoring };

/** Routes, queues and schedules begin to invoke functions. When the stack stops, they end first. */
async function setInMotion(
  template: Template,
  functions: Map<string, LambdaFunction>,
  { httpApi }: Servers,
  { access, identity, sqsAs, monitoring, scheduleEveryMs, log }: Motion,
  stops: StopStack,
): Promise<void> {
  const all = [...functions.values()];
  stops.add(() => Promise.all(all.map((each) => each.stop())));
  const invoke: Invoke = async (functionId, event) => {
    const target = functions.get(functionId);
    if (!target) throw new Error(`${functionId} is no function`);
    return target.invoke(event);
  };
  const sources = await startEventSources(template, sqsAs, invoke, log);
  const schedules = new Schedules(template, scheduleEveryMs, invoke);
  stops.add(async () => {
    httpApi.refuseMore();
    const ends = [...sources.map((source) => source.stop()), schedules.stop()];
    await Promise.race([Promise.all([...ends, ...all.map((each) => each.settled())]), wait(DRAIN_MS)]);
  });
  const apiId = template.ofType('AWS::ApiGatewayV2::Api')[0] ?? '';
  const authorizer = iamAuthorizer({
    region: REGION,
    secretAccessKey: identity.credentials.secretAccessKey,
    callerOf: (accessKey, { method, path }) => access.callerOf(accessKey, routeArn(apiId, method, path)),
  });
  const answered = (status: number) => monitoring.aws.answered(apiId, status);
  httpApi.serve({ apiId, routes: routesOf(template), authorizer, invoke, answered });
}

function readTemplate(assembly: string, parameters: Record<string, string>): Template {
  const ending = '.template.json';
  const files = readdirSync(assembly).filter((name) => name.endsWith(ending));
  const [file] = files;
  if (!file || files.length > 1) throw new Error(`The assembly ${assembly} must hold exactly one stack.`);
  const stackName = file.slice(0, -ending.length);
  const json = JSON.parse(readFileSync(path.join(assembly, file), 'utf8'));
  return new Template(json, { region: REGION, accountId: ACCOUNT_ID, stackName }, parameters);
}

function addressesOf(
  template: Template,
  servers: Servers,
  identity: Identity,
  monitoring: Monitoring,
  webhookSecret: string,
): Addresses {
  const { credentials } = identity;
  const { url, surfaceUrl, runner, users } = servers.host;
  return {
    webhook_url: template.output('WebhookUrl'),
    webhook_secret: webhookSecret,
    runner_api_url: template.output('RunnerApiUrl'),
    runner_queue_urls: JSON.parse(template.output('RunnerQueueUrls')),
    resolver_queue_url: template.output('ResolverQueueUrl'),
    resolver_dlq_url: template.output('ResolverDlqUrl'),
    table_name: template.output('TableName'),
    surface_url: surfaceUrl,
    metrics_url: monitoring.url,
    aws: {
      region: REGION,
      access_key_id: credentials.accessKeyId,
      secret_access_key: credentials.secretAccessKey,
      sqs_endpoint: servers.sqsUrl,
      dynamodb_endpoint: servers.dynamodbUrl,
    },
    thread_host: { url, runner, ...(users && { users }) },
  };
}

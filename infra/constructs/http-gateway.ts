import { ArnFormat, type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import { CfnStage, HttpApi, HttpMethod, type HttpRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { removalPolicyOf } from '../removal.ts';

const WEBHOOK_PATH = '/webhooks/thread-items';
const THREAD_PATH = '/v1/threads/{revision_id}/{session_id}/{alias}';
const RUNNER_PATHS = ['/prompts', '/prompts/{prompt_id}/cancel', '/prompts/{prompt_id}/ack', '/attach'].map(
  (call) => `${THREAD_PATH}${call}`,
);
/** The stage whose name is not in the address. */
const STAGE_NAME = '$default';

type Throttle = { rate: number; burst: number };
const perSecond = (rate: number): Throttle => ({ rate, burst: 2 * rate });

/** Requests per second; whoever is refused (429) sends again: the host retries a webhook, the runner its call. */
const ROUTE_THROTTLES: Record<string, Throttle> = {
  [`POST ${WEBHOOK_PATH}`]: perSecond(500),
  [`POST ${THREAD_PATH}/prompts`]: perSecond(100),
  [`POST ${THREAD_PATH}/prompts/{prompt_id}/cancel`]: perSecond(100),
  [`POST ${THREAD_PATH}/prompts/{prompt_id}/ack`]: perSecond(200),
  // May read a whole thread from the host.
  [`POST ${THREAD_PATH}/attach`]: perSecond(50),
};
/** A route that is added later and forgotten above starts with the narrowest. */
const OTHER_ROUTES_THROTTLE = perSecond(50);

/** Who called what and how it ended: no headers, no bodies, no query (I16). */
const ACCESS_LOG_FIELDS = {
  request_id: '$context.requestId',
  time: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  caller: '$context.identity.userArn',
  source_ip: '$context.identity.sourceIp',
  response_bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  integration_status: '$context.integrationStatus',
  integration_error: '$context.integrationErrorMessage',
  refused_by_gateway: '$context.error.message',
};

/** What an IAM policy names to let somebody call a route; cdk-nag writes references in its own way. */
export type RunnerRoute = { arn: string; arnInFinding: string };
export type HttpGatewayProps = { stage: Stage; ingest: IFunction; runnerApi: IFunction };

/** The two ways in: the thread host's webhook, and the agent runners' calls (interface.md 1 and 2). */
export class HttpGateway extends Construct {
  readonly webhookUrl: string;
  readonly runnerApiUrl: string;
  readonly runnerRoutes: readonly RunnerRoute[];

  constructor(scope: Construct, id: string, { stage, ingest, runnerApi }: HttpGatewayProps) {
    super(scope, id);
    const api = new HttpApi(this, 'Api', { apiName: Stack.of(this).stackName, createDefaultStage: false });
    this.addStage(stage, api, [...addWebhookRoute(api, ingest), ...addRunnerRoutes(api, runnerApi)]);
    this.webhookUrl = `${api.apiEndpoint}${WEBHOOK_PATH}`;
    this.runnerApiUrl = api.apiEndpoint;
    this.runnerRoutes = RUNNER_PATHS.map((path) => runnerRoute(api, path));
  }

  private addStage(stage: Stage, api: HttpApi, routes: HttpRoute[]): void {
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    // CDK's own stage construct knows no throttling per route.
    const apiStage = new CfnStage(this, 'Stage', {
      apiId: api.apiId,
      stageName: STAGE_NAME,
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: OTHER_ROUTES_THROTTLE.rate,
        throttlingBurstLimit: OTHER_ROUTES_THROTTLE.burst,
      },
      routeSettings: routeSettings(ROUTE_THROTTLES),
      accessLogSettings: { destinationArn: arnWithoutWildcard(accessLog), format: JSON.stringify(ACCESS_LOG_FIELDS) },
    });
    // API Gateway refuses settings for a route that is not there yet.
    apiStage.node.addDependency(...routes);
  }
}

function addWebhookRoute(api: HttpApi, ingest: IFunction): HttpRoute[] {
  const routes = api.addRoutes({
    path: WEBHOOK_PATH,
    methods: [HttpMethod.POST],
    integration: new HttpLambdaIntegration('Ingest', ingest),
  });
  for (const route of routes) {
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'No authorizer could do it: the signature covers the body, which only the function sees, and it checks it.',
    });
  }
  return routes;
}

function addRunnerRoutes(api: HttpApi, runnerApi: IFunction): HttpRoute[] {
  const integration = new HttpLambdaIntegration('RunnerApi', runnerApi);
  const authorizer = new HttpIamAuthorizer();
  return RUNNER_PATHS.flatMap((path) => api.addRoutes({ path, methods: [HttpMethod.POST], integration, authorizer }));
}

function runnerRoute(api: HttpApi, path: string): RunnerRoute {
  const stack = Stack.of(api);
  const anyIds = path.replaceAll(/\{\w+\}/g, '*');
  const apiId = stack.getLogicalId(api.node.defaultChild as CfnElement);
  return {
    arn: api.arnForExecuteApi(HttpMethod.POST, anyIds, STAGE_NAME),
    arnInFinding: `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<${apiId}>/${STAGE_NAME}/POST${anyIds}`,
  };
}

/** A JSON property of the template, which CDK hands on as it is: CloudFormation's spelling. */
function routeSettings(throttles: Record<string, Throttle>) {
  return Object.fromEntries(
    Object.entries(throttles).map(([routeKey, { rate, burst }]) => [
      routeKey,
      { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst },
    ]),
  );
}

/** As API Gateway stores it; with the `:*` of a log group's own ARN every drift check would report the stage. */
function arnWithoutWildcard(logGroup: LogGroup): string {
  return Stack.of(logGroup).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: logGroup.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

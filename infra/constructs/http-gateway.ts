import { ArnFormat, Stack } from 'aws-cdk-lib';
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

export type HttpGatewayProps = { stage: Stage; ingest: IFunction; runnerApi: IFunction };

/** The two ways in: the thread host's webhook, and the agent runners' calls (interface.md 1 and 2). */
export class HttpGateway extends Construct {
  readonly webhookUrl: string;
  readonly runnerApiUrl: string;

  constructor(scope: Construct, id: string, { stage, ingest, runnerApi }: HttpGatewayProps) {
    super(scope, id);
    const api = new HttpApi(this, 'Api', { apiName: Stack.of(this).stackName, createDefaultStage: false });
    const routes = [
      // No authorizer, and none could do it: the signature covers the body, which only the function sees.
      ...api.addRoutes({
        path: WEBHOOK_PATH,
        methods: [HttpMethod.POST],
        integration: new HttpLambdaIntegration('Ingest', ingest),
      }),
      ...addRunnerRoutes(api, runnerApi),
    ];
    this.addStage(stage, api, routes);
    this.webhookUrl = `${api.apiEndpoint}${WEBHOOK_PATH}`;
    this.runnerApiUrl = api.apiEndpoint;
  }

  private addStage(stage: Stage, api: HttpApi, routes: HttpRoute[]): void {
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    });
    // CDK's own stage construct knows no throttling per route.
    const apiStage = new CfnStage(this, 'Stage', {
      apiId: api.apiId,
      stageName: '$default',
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

function addRunnerRoutes(api: HttpApi, runnerApi: IFunction): HttpRoute[] {
  const integration = new HttpLambdaIntegration('RunnerApi', runnerApi);
  const authorizer = new HttpIamAuthorizer();
  return ['/prompts', '/prompts/{prompt_id}/cancel', '/prompts/{prompt_id}/ack', '/attach'].flatMap((call) =>
    api.addRoutes({ path: `${THREAD_PATH}${call}`, methods: [HttpMethod.POST], integration, authorizer }),
  );
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

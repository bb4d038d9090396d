import { describe, expect, test } from 'vitest';
import { readable, synthesize } from './synthesized-stack.ts';

const stack = synthesize();
const THREAD = '/v1/threads/{revision_id}/{session_id}/{alias}';
const WEBHOOK = 'POST /webhooks/thread-items';
const RUNNER_ROUTES = [
  `POST ${THREAD}/prompts`,
  `POST ${THREAD}/prompts/{prompt_id}/cancel`,
  `POST ${THREAD}/prompts/{prompt_id}/ack`,
  `POST ${THREAD}/attach`,
];
const routes = stack.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties);

describe('routes', () => {
  test('are the webhook and the four calls of a runner', () => {
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual([WEBHOOK, ...RUNNER_ROUTES].sort());
  });

  test('the webhook has no authorizer, since its function checks the signature', () => {
    const route = routes.find(({ RouteKey }) => RouteKey === WEBHOOK);
    expect(route).toMatchObject({ AuthorizationType: 'NONE' });
    expect(functionOf(route)).toBe('IngestFunction');
  });

  test.each(RUNNER_ROUTES)('%s asks IAM who calls', (routeKey) => {
    const route = routes.find(({ RouteKey }) => RouteKey === routeKey);
    expect(route).toMatchObject({ AuthorizationType: 'AWS_IAM' });
    expect(functionOf(route)).toBe('RunnerApiFunction');
  });
});

describe('the stage', () => {
  const { Properties, DependsOn } = stack.named('HttpStage');

  test('throttles every route on its own, and one that is added later more narrowly', () => {
    const { RouteSettings, DefaultRouteSettings } = Properties;
    expect(Object.keys(RouteSettings).sort()).toEqual([WEBHOOK, ...RUNNER_ROUTES].sort());
    for (const settings of Object.values(RouteSettings)) {
      expect(settings).toEqual({
        ThrottlingRateLimit: expect.any(Number),
        ThrottlingBurstLimit: expect.any(Number),
      });
    }
    expect(DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 });
  });

  test('comes after its routes, without which API Gateway refuses their throttles', () => {
    const routeIds = Object.entries(stack.resources).filter(([, { Type }]) => Type === 'AWS::ApiGatewayV2::Route');
    expect(DependsOn).toEqual(expect.arrayContaining(routeIds.map(([id]) => id)));
  });

  test('logs each call as JSON, without a body or a header, to a group that forgets', () => {
    const { DestinationArn, Format } = Properties.AccessLogSettings;
    expect(readable(DestinationArn)).toMatch(/:log-group:HttpAccessLog$/);
    expect(stack.named('HttpAccessLog').Properties.RetentionInDays).toBe(90);
    expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey', status: '$context.status' });
    expect(Format).not.toMatch(/header|body|querystring/i);
  });
});

test('every address is an output', () => {
  const outputs = Object.entries(stack.json.Outputs as Record<string, { Value: unknown }>);
  expect(Object.fromEntries(outputs.map(([name, { Value }]) => [name, readable(Value)]))).toEqual({
    WebhookUrl: 'HttpApi/webhooks/thread-items',
    RunnerApiUrl: 'HttpApi',
    RunnerRoleArns: '{"default":"RunnerRolesdefault"}',
    RunnerQueueUrls: '{"default":"RunnerQueuesdefaultrunnerQueue"}',
    ResolverQueueUrl: 'ResolverThreadItemsQueue',
    ResolverDlqUrl: 'ResolverThreadItemsDlq',
    TableName: 'PromptsTable',
    WebhookSecretsArn: 'SecretsWebhookSecrets',
    ThreadHostKeyArn: 'SecretsThreadHostKey',
  });
});

test('the address of the thread host is the only parameter, and plain HTTP is refused', () => {
  expect(Object.keys(stack.json.Parameters)).toEqual(['ThreadHostUrl']);
  const { AllowedPattern } = stack.json.Parameters.ThreadHostUrl;
  expect('https://blobhub.example').toMatch(new RegExp(AllowedPattern));
  for (const url of ['http://blobhub.example', 'blobhub.example', 'ftp://x', ' https://x']) {
    expect(url).not.toMatch(new RegExp(AllowedPattern));
  }
});

function functionOf(route: (typeof routes)[number]): string {
  const integration = readable(route.Target).replace('integrations/', '');
  return readable(stack.named(integration).Properties.IntegrationUri);
}

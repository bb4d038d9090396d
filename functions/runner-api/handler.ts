import type { APIGatewayProxyEventV2WithIAMAuthorizer, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { runnerApiEnv } from '#adapters/env.ts';
import { promptPorts } from '#adapters/prompt-ports.ts';
import { answerCall } from './answer-call.ts';
import { callingRunner } from './caller.ts';

const { RUNNER_ROLE_PREFIX } = runnerApiEnv();
const ports = promptPorts('runner-api');
ports.threadHost.ownUserId().catch((error) => ports.telemetry.failure('own_user_unknown', error, {}));

export async function handler(
  event: APIGatewayProxyEventV2WithIAMAuthorizer,
): Promise<APIGatewayProxyStructuredResultV2> {
  const body = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString() : (event.body ?? '');
  const { accountId, authorizer } = event.requestContext;
  const caller = callingRunner(authorizer?.iam, accountId, RUNNER_ROLE_PREFIX);
  const { status, answer } = await answerCall(ports, event.routeKey, event.pathParameters ?? {}, body, caller);
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json' },
    ...(answer && { body: JSON.stringify(answer) }),
  };
}

import type { APIGatewayProxyEventV2WithIAMAuthorizer, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { runnerApiEnv } from '#adapters/env.ts';
import { threadGroup } from '#adapters/names.ts';
import { portsOf, promptPorts } from '#adapters/prompt-ports.ts';
import { threadSchema } from '#core/host-schemas.ts';
import { answerCall } from './answer-call.ts';
import { callingRunner } from './caller.ts';

const { RUNNER_ROLE_PREFIX } = runnerApiEnv();
const ports = promptPorts('runner-api');
ports.threadHost.ownUserId().catch((error) => ports.telemetry.failure('own_user_unknown', error, {}));

export async function handler(
  event: APIGatewayProxyEventV2WithIAMAuthorizer,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  const body = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString() : (event.body ?? '');
  const { accountId, authorizer } = event.requestContext;
  const caller = callingRunner(authorizer?.iam, accountId, RUNNER_ROLE_PREFIX);
  const thread = threadSchema.safeParse(event.pathParameters);
  const group = thread.success ? threadGroup(thread.data) : undefined;
  const invocation = portsOf(ports, { request_id: context.awsRequestId, group });
  const { status, answer } = await answerCall(invocation, event.routeKey, event.pathParameters ?? {}, body, caller);
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json' },
    ...(answer && { body: JSON.stringify(answer) }),
  };
}

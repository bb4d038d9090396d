import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { promptPorts } from '#adapters/prompt-ports.ts';
import { answerCall } from './answer-call.ts';

const ports = promptPorts('runner-api');
ports.threadHost.ownUserId().catch((error) => ports.telemetry.failure('own_user_unknown', error, {}));

export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const body = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString() : (event.body ?? '');
  const { status, answer } = await answerCall(ports, event.routeKey, event.pathParameters ?? {}, body);
  return {
    statusCode: status,
    headers: { 'content-type': 'application/json' },
    ...(answer && { body: JSON.stringify(answer) }),
  };
}

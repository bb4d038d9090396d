import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { systemClock } from '#adapters/clock.ts';
import { ingestEnv } from '#adapters/env.ts';
import { threadItemQueue } from '#adapters/queues.ts';
import { secret } from '#adapters/secrets.ts';
import { telemetry } from '#adapters/telemetry.ts';
import { acceptWebhook } from './accept-webhook.ts';

const env = ingestEnv();
const ports = {
  secrets: secret(new SecretsManagerClient(), env.WEBHOOK_SECRETS_ARN, systemClock),
  threadItems: threadItemQueue(new SQSClient(), env.RESOLVER_QUEUE_URL),
  clock: systemClock,
  telemetry: telemetry({ stage: env.STAGE, function: 'ingest' }),
};

export async function handler(
  event: APIGatewayProxyEventV2,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const invocation = { ...ports, telemetry: ports.telemetry.of({ request_id: context.awsRequestId }) };
  const { status, answer } = await acceptWebhook(invocation, { headers: event.headers, body }, env.TRUST_WEBHOOK_ITEM);
  return { statusCode: status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
}

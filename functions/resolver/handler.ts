import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { portsOf, promptPorts } from '#adapters/prompt-ports.ts';
import { resolveBatch } from './resolve-batch.ts';

const ports = promptPorts('resolver');
// Known before the first item comes; unknown, nothing can answer (decisions.md A6), and it is asked again then.
ports.threadHost.ownUserId().catch((error) => ports.telemetry.failure('own_user_unknown', error, {}));

export function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  return resolveBatch(portsOf(ports, { request_id: context.awsRequestId }), event.Records, () =>
    context.getRemainingTimeInMillis(),
  );
}

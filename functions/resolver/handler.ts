import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { promptPorts } from '#adapters/prompt-ports.ts';
import { resolveBatch } from './resolve-batch.ts';

const ports = promptPorts('resolver');
// Known before the first item comes; unknown, nothing can answer (decisions.md A6), and it is asked again then.
ports.threadHost.ownUserId().catch((error) => ports.telemetry.failure('own_user_unknown', error, {}));

export function handler(event: SQSEvent, context: { getRemainingTimeInMillis(): number }): Promise<SQSBatchResponse> {
  return resolveBatch(ports, event.Records, () => context.getRemainingTimeInMillis());
}

import type { Context } from 'aws-lambda';
import { portsOf, promptPorts } from '#adapters/prompt-ports.ts';
import { reconcileDue } from './reconcile-due.ts';
import { reportGauges } from './report-gauges.ts';

const ports = promptPorts('reconciler');

export async function handler(_event: unknown, context: Context): Promise<void> {
  const invocation = portsOf(ports, { request_id: context.awsRequestId });
  await reconcileDue(invocation, () => context.getRemainingTimeInMillis());
  await reportGauges(invocation);
}

import { promptPorts } from '#adapters/prompt-ports.ts';
import { reconcileDue } from './reconcile-due.ts';
import { reportGauges } from './report-gauges.ts';

const ports = promptPorts('reconciler');

export async function handler(_event: unknown, context: { getRemainingTimeInMillis(): number }): Promise<void> {
  await reconcileDue(ports, () => context.getRemainingTimeInMillis());
  await reportGauges(ports);
}

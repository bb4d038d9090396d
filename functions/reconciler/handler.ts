import { promptPorts } from '#adapters/prompt-ports.ts';
import { reconcileDue } from './reconcile-due.ts';

const ports = promptPorts('reconciler');

export function handler(_event: unknown, context: { getRemainingTimeInMillis(): number }): Promise<void> {
  return reconcileDue(ports, () => context.getRemainingTimeInMillis());
}

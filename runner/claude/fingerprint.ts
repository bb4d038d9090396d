import { fingerprint as fingerprintOf } from '../fingerprint.ts';
import type { ToolInput } from './agent-sdk.ts';
import { parted } from './approval-question.ts';

/** What the model only remarks on its call may differ when it makes the call again. */
export function fingerprint(toolName: string, input: ToolInput): string {
  return fingerprintOf(toolName, parted(toolName, input).acting);
}

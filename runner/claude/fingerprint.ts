import { createHash } from 'node:crypto';
import type { ToolInput } from './agent-sdk.ts';
import { parted } from './approval-question.ts';

/**
 * What a call does, as a name: the same for the same tool and input in any order of fields. What the model only remarks
 * on its call may differ when it makes the call again.
 */
export function fingerprint(toolName: string, input: ToolInput): string {
  const { acting } = parted(toolName, input);
  return createHash('sha256')
    .update(JSON.stringify([toolName, sorted(acting)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)];
  if (typeof value !== 'object' || value === null) return value;
  // As pairs, so that a field of any name stays a field, and told apart from a list that looks the same.
  const fields = Object.entries(value).map(([name, field]) => [name, sorted(field)] as const);
  return ['fields', ...fields.sort(([one], [other]) => (one < other ? -1 : 1))];
}

import { createHash } from 'node:crypto';

/** What a call does, as a name: the same for the same parts, with their fields in any order. */
export function fingerprint(...parts: unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify(parts.map(sorted)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)];
  if (typeof value !== 'object' || value === null) return value;
  // As pairs, so that a field of any name stays a field, and told apart from a list that looks the same.
  const fields = Object.entries(value).map(([name, field]) => [name, sorted(field)] as const);
  return ['fields', ...fields.sort(([one], [other]) => (one < other ? -1 : 1))];
}

import type { z } from 'zod';

export type IssueDetail = { path: string; message: string };

/** A hostile body has a fault in every one of its 100,000 entries; an answer that tells them all would not be sent. */
const DETAILS_LIMIT = 20;

/**
 * Where and why a value is not of its shape, for people: `questions[1].options[0].label`, and one plain sentence. Nothing
 * of the value itself is repeated. Empty = it is of its shape.
 */
export function issuesOf(schema: z.ZodType, value: unknown): IssueDetail[] {
  const judged = schema.safeParse(value, { error: plainSentence });
  const issues = judged.error?.issues ?? [];
  return issues.slice(0, DETAILS_LIMIT).map(({ path, message }) => ({ path: pathText(path), message }));
}

/** What a schema says of itself (`refine`, `superRefine`) goes before this. */
function plainSentence(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'This is missing.';
  switch (issue.code) {
    case 'invalid_type':
      return `This must be ${TYPE_NAMES[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return `This must be one of ${issue.values.join(', ')}.`;
    case 'too_small':
      return 'This must not be empty.';
    case 'too_big':
      return `This must have at most ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'entries'}.`;
    default:
      return 'This is not of the right shape.';
  }
}

const TYPE_NAMES: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'an object',
  string: 'a text',
};

function pathText(path: PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

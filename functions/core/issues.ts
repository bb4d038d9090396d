import type { z } from 'zod';

export type IssueDetail = { path: string; message: string };

/** Where a body is not of its shape, for people: `questions[1].options[0].label`. */
export function issueDetails({ issues }: z.ZodError): IssueDetail[] {
  return issues.map(({ path, message }) => ({ path: pathText(path), message }));
}

function pathText(path: PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

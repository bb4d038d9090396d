/** Bodies of raises; every field can be overridden, with values of any type. */
export const option = (label: unknown, more = {}) => ({ label, ...more });
export const options = (...labels: unknown[]) => labels.map((label) => option(label));
export const question = (more: Record<string, unknown> = {}) => ({
  question: 'Where?',
  options: options('a', 'b'),
  ...more,
});
export const ask = (...questions: unknown[]) => ({ request_id: 'req_1', kind: 'ask_user_question', questions });
export const approval = (more = {}) => ({
  request_id: 'req_1',
  kind: 'approval',
  questions: [question({ options: options('Approve', 'Deny') })],
  ...more,
});
export const text = (more = {}) => ({ request_id: 'req_1', kind: 'text', questions: [{ question: 'Name?' }], ...more });
export const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

import type { Invocation } from './execution-environment.ts';

/** The messages to leave in the queue; `why` where all of them must stay. */
export type FailedMessages = { ids: ReadonlySet<string>; why?: string };

/**
 * Lambda's rules for a partial batch response: nothing, null and an empty list are success; an error, an answer that is
 * not of the shape, and an identifier that is not in the batch fail all of it.
 */
export function failedMessages(invocation: Invocation, batch: string[], reportsItemFailures: boolean): FailedMessages {
  const all = (why: string) => ({ ids: new Set(batch), why });
  if (!invocation.ok) return all(invocation.error.errorType);
  if (!reportsItemFailures) return { ids: new Set() };
  const response: unknown = JSON.parse(invocation.payload);
  if (response === null) return { ids: new Set() };
  if (typeof response !== 'object' || Array.isArray(response)) return all('the response is no object');
  const { batchItemFailures: failures } = response as { batchItemFailures?: unknown };
  if (failures === undefined || failures === null) return { ids: new Set() };
  if (!Array.isArray(failures)) return all('batchItemFailures is no list');
  const ids = failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier);
  const known = ids.filter((id): id is string => typeof id === 'string' && batch.includes(id));
  if (known.length < ids.length) return all('an itemIdentifier is not in the batch');
  return { ids: new Set(known) };
}

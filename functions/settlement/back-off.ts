const SHORTEST_MS = 1000;
/** Two minutes: 1,000 receives, SQS's largest limit, then outlast a day of a dead thread host. */
const LONGEST_MS = 120_000;

/** The pause before the next try: a third of how long it has failed so far, so that recovery is noticed in proportion. */
export function retryDelayMs(failingForMs: number): number {
  return Math.min(Math.max(Math.round(failingForMs / 3), SHORTEST_MS), LONGEST_MS);
}

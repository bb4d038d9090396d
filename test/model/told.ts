import type { Violation } from './invariants.ts';

/** A violation with the shortest way to it, one step a line. */
export function told({ invariant, what, trace }: Violation & { trace: string[] }): string {
  return [`${invariant}: ${what}`, ...trace.map((label, step) => `  ${step + 1}. ${label}`)].join('\n');
}

import { setTimeout } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Waits for a fact: asks until the answer is truthy, and returns it. @throws with `what` after `ms` */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  what: string | (() => string),
  ms = 10_000,
): Promise<NonNullable<T>> {
  for (const end = performance.now() + ms; ; await setTimeout(PAUSE_MS)) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${typeof what === 'string' ? what : what()}`);
  }
}

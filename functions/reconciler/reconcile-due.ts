import type { Ports } from '#core/ports.ts';
import type { Thread } from '#core/thread.ts';
import { reconcileThread } from '#settlement/reconcile-thread.ts';

/** Threads at a time: a dead host holds each up by its 5 s time-outs. */
const AT_ONCE = 10;
/** A thread may take a look and a post per prompt; none is begun that could be cut. */
const THREAD_TIME_MS = 15_000;

/** Finishes whatever is due, oldest first; open prompts are not in the index, so their number costs nothing. */
export async function reconcileDue(ports: Ports, remainingMs: () => number): Promise<void> {
  const startedAt = ports.clock.now();
  let threads = 0;
  let failures = 0;
  while (remainingMs() > THREAD_TIME_MS) {
    const due = await ports.store.due(startedAt, AT_ONCE);
    if (due.length === 0) break;
    const ended = await Promise.all(due.map((thread) => reconciled(ports, thread)));
    threads += due.length;
    failures += ended.filter((ok) => !ok).length;
    // The index is eventually consistent and a thread that failed stays due: the next run is soon enough.
    if (due.length < AT_ONCE || failures > 0) break;
  }
  ports.telemetry.info('reconciled', { threads, failures }, { ReconcilerRuns: 1 });
}

async function reconciled(ports: Ports, thread: Thread): Promise<boolean> {
  try {
    await reconcileThread(ports, thread);
    return true;
  } catch (error) {
    ports.telemetry.failure('thread_not_reconciled', error, {});
    return false;
  }
}

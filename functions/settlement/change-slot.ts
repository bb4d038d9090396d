import type { PastPrompt, Ports } from '#core/ports.ts';
import type { Slot } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';

/**
 * Applies a pure transition by one conditional write, and reads and applies it again whenever the write was lost.
 * @param seen what was read already, to save the first read
 * @param requestKey whose past prompt the transition is to know
 * @returns the slot as written, or `undefined` where the transition does not apply (any more)
 */
export async function changeSlot(
  { store }: Ports,
  thread: Thread,
  transition: (slot: Slot, past: PastPrompt | undefined) => Slot | undefined,
  seen?: Slot,
  requestKey?: string,
): Promise<Slot | undefined> {
  for (let known = seen; ; known = undefined) {
    const { slot: current, past } = known
      ? { slot: known, past: undefined }
      : await store.read(thread, requestKey === undefined ? {} : { requestKey });
    const next = transition(current, past);
    if (!next) return undefined;
    if (await store.save(thread, next)) return { ...next, rev: current.rev + 1 };
  }
}

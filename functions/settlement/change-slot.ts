import type { Ports } from '#core/ports.ts';
import type { Slot } from '#core/prompting/slot.ts';
import type { Thread } from '#core/thread.ts';

/**
 * Applies a pure transition by one conditional write, and reads and applies it again whenever the write was lost.
 * @param seen what was read already, to save the first read
 * @returns the slot as written, or `undefined` where the transition does not apply (any more)
 */
export async function changeSlot(
  { store }: Ports,
  thread: Thread,
  transition: (slot: Slot) => Slot | undefined,
  seen?: Slot,
): Promise<Slot | undefined> {
  for (let slot = seen; ; slot = undefined) {
    const current = slot ?? (await store.read(thread)).slot;
    const next = transition(current);
    if (!next) return undefined;
    if (await store.save(thread, next)) return { ...next, rev: current.rev + 1 };
  }
}

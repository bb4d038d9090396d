import { setTimeout } from 'node:timers/promises';
import type { Clock } from '#core/ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (ms) => {
    await setTimeout(ms);
  },
};

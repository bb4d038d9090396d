import { setTimeout as wait } from 'node:timers/promises';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { startWorld, type World } from '../local/world.ts';
import { breakDeployment } from './broken-deployments.ts';
import type { Fault } from './faults.ts';

export type Place = {
  /** The folder of the synthesized stack. */
  assembly: string;
  /** A folder for what is written meanwhile. */
  root: string;
  log: (line: string) => void;
};

/** Short, so that nobody waits; alarms on ages are as impatient. */
const MINUTE_MS = 1000;
const LOOK_EVERY_MS = 100;

/**
 * Brings a fault about on a stack of its own, until `seen` says that what was waited for is there, or so many of its
 * minutes are over.
 * @param seen is asked over and over, with the time since the fault began
 */
export async function bringAbout(
  fault: Fault,
  { assembly, root, log }: Place,
  limitMinutes: number,
  seen: (world: World, sinceMs: number) => boolean,
): Promise<void> {
  const stops = new StopStack();
  const stopping = new AbortController();
  try {
    const folder = fault.deployment ? breakDeployment(assembly, fault.deployment, root) : assembly;
    const told = (source: string, line: string) => log(`${source} ${line}`);
    const options = { scheduleEveryMs: 300, minuteMs: MINUTE_MS, ...fault.options };
    const world = await startWorld(folder, told, stops, options);
    const began = performance.now();
    const again = (ms: number) => wait(ms, true, { signal: stopping.signal }).catch(() => false);
    const brought = fault.bring(world, again);
    const limitMs = limitMinutes * options.minuteMs;
    const isOver = () => seen(world, performance.now() - began) || performance.now() - began > limitMs;
    while (!isOver()) await Promise.race([wait(LOOK_EVERY_MS), brought.then(() => wait(LOOK_EVERY_MS))]);
    stopping.abort();
    await brought;
  } finally {
    await stops.stopAll();
  }
}

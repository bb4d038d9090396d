import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MetricAlarm } from '../../infra/local/monitoring/alarm-evaluation.ts';
import { MetricStore } from '../../infra/local/monitoring/metric-store.ts';
import type { World } from '../local/world.ts';
import { assembly } from '../support/assembly.ts';
import { bringAbout } from './bring-about.ts';
import { CANNOT_FIRE, FAULTS } from './faults.ts';

/**
 * An alarm on a metric that nobody emits is silent for ever, and looks like all is well (I17). So the faults of the drill
 * are brought about on the real stack, not until their alarms fire, but until what each alarm watches was emitted once.
 */
const LIMIT_MINUTES = 30;
const AT_ONCE = 3;

const root = mkdtempSync(path.join(tmpdir(), 'watched-'));
const emitted = new MetricStore(60_000);
let alarms: readonly MetricAlarm[] = [];

/** What the faulty deployments would emit, AWS does of any function that runs. */
const faults = FAULTS.filter(({ deployment }) => deployment === undefined);
const shortName = ({ name }: Pick<MetricAlarm, 'name'>) => name.replace(/^InteractivePrompts-/, '');

function collect({ stack }: World, expected: readonly string[]): boolean {
  const { metrics, metricAlarms } = stack.monitoring;
  alarms = metricAlarms;
  for (const { latest, ...metric } of metrics.all()) emitted.put(metric, latest.value, latest.at);
  return isEmitted(expected);
}
const isEmitted = (expected: readonly string[]) =>
  alarms.filter((alarm) => expected.includes(shortName(alarm))).every(({ metric }) => emitted.has(metric));

beforeAll(async () => {
  const place = { assembly: await assembly(), root, log: () => {} };
  const waiting = [...faults];
  const worker = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const { alarms: expected } = fault;
      if (alarms.length > 0 && isEmitted(expected)) continue;
      await bringAbout(fault, place, LIMIT_MINUTES, (world) => collect(world, expected));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}, 180_000);
afterAll(() => {
  rmSync(root, { recursive: true });
});

it('every alarm watches a metric that was emitted, by its namespace, its name and all its dimensions', () => {
  expect(alarms.length).toBeGreaterThan(20);
  expect(alarms.filter(({ metric }) => !emitted.has(metric)).map(({ name, metric }) => ({ name, metric }))).toEqual([]);
});

describe('the drill', () => {
  it('has a way to make each alarm fire, or says why there is none', () => {
    const known = [...FAULTS.flatMap(({ alarms: expected }) => expected), ...Object.keys(CANNOT_FIRE)];
    const composite = 'AnswersDoNotReachAgents';
    expect(alarms.map(shortName).filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => name !== composite && !alarms.map(shortName).includes(name))).toEqual([]);
  });
});

import { afterAll, describe, expect, it } from 'vitest';
import { LARGE, SMALL } from './configurations.ts';
import { ALL_ON } from './defences.ts';
import { type Explored, explore } from './search.ts';
import { told } from './told.ts';

/** `MODEL_DEEP=1` adds the large ones: some minutes and gigabytes. */
const configurations = Object.values(process.env.MODEL_DEEP ? { ...SMALL, ...LARGE } : SMALL);
const DEEP_LIMIT = 3_000_000;

/**
 * Every order of every side effect of every process, with every fault that a configuration allows (I1 to I11, I18, I19).
 * `shell/` mirrors the shell of functions/ with the project's own pure functions in it (conformance.test.ts holds it to
 * that), `world.ts` what stands around it, `moves.ts` who does what when, `defences.ts` what mutants.test.ts takes away.
 */
describe('the protocol with all its defences', () => {
  const rows: string[] = [];
  let states = 0;
  it.each(configurations.map((configuration) => [configuration.name, configuration] as const))(
    'holds its invariants: %s',
    (name, configuration) => {
      const explored = explore({ configuration, on: ALL_ON }, DEEP_LIMIT);
      rows.push(row(name, explored));
      states += explored.states;
      expect(explored.violation && told(explored.violation)).toBeUndefined();
      expect(explored.isComplete).toBe(true);
    },
    600_000,
  );
  it('was looked at in at least 100,000 states', () => expect(states).toBeGreaterThanOrEqual(100_000));
  afterAll(() => console.log([row('configuration', 'header'), ...rows, `${states} states in all`].join('\n')));
});

function row(name: string, explored: Explored | 'header'): string {
  const columns =
    explored === 'header'
      ? ['states', 'edges', 'depth', 'ms']
      : [explored.states, explored.edges, explored.depth, explored.ms];
  return name.padEnd(30) + columns.map((column) => String(column).padStart(9)).join('');
}

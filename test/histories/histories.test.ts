import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FAULTS } from '../crash/faults.ts';
import { startTable, type TestTable } from '../support/dynamodb.ts';
import { OWN_USER } from '../support/given.ts';
import { brokenInvariants } from './invariants.ts';
import { World } from './world.ts';

/**
 * Random histories of two threads on one real table: what people write, what the agent calls, what the queue delivers
 * late, twice and in another order, and what dies in between. Whatever happened, once faults are over the threads come to
 * rest with DESIGN's I1 to I12 held. `SEED=… HISTORIES=…` repeats a run, or makes a longer one.
 */
const HISTORIES = Number(process.env.HISTORIES ?? 300);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000);

type Step = { thread: 0 | 1; does: string; run: (world: World) => unknown };

let table: TestTable;
let worlds = 0;
let steps = 0;
const seen = new Map<string, number>();
beforeAll(async () => {
  table = await startTable();
});
afterAll(async () => {
  const counts = [...seen]
    .map(([what, count]) => `${count} ${what}`)
    .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
  console.log(`${HISTORIES} histories, seed ${SEED}, ${steps} steps: ${counts.join(', ')}`);
  await table.stop();
});

const request = fc.constantFrom('one', 'two', 'three');
const position = fc.nat(20);
const step = (name: string, run: (world: World) => unknown, told = '') => ({
  does: told ? `${name} ${told}` : name,
  run,
});

const writes = fc
  .record({
    text: fc.constantFrom('yes', 'no', 'and then?'),
    more: fc.oneof(
      { weight: 5, arbitrary: fc.constant('plain') },
      { weight: 1, arbitrary: fc.constantFrom('structured', 'by ben', 'ours', 'typed', 'naming') },
    ),
    names: request,
  })
  .map(({ text, more, names }) =>
    step('write', (world) => world.write(text, fieldsOf(more, names, world)), `"${text}" ${more}`),
  );

function fieldsOf(kind: string, names: string, { requests }: World) {
  switch (kind) {
    case 'structured':
      return { metadata: { answers: [{ question: `${names}?`, answer: ['Approve'] }] } };
    case 'by ben':
      return { user_id: 'usr_ben' };
    case 'ours':
      return { user_id: OWN_USER };
    case 'typed':
      return { metadata: { type: 'note' } };
    case 'naming':
      return { metadata: { prompt_id: requests.get(names)?.prompt_id ?? 'prm_nobody' } };
    default:
      return {};
  }
}

const raises = fc
  .tuple(request, fc.boolean())
  .map(([name, isForAnna]) =>
    step(
      'raise',
      (world) => world.raise(name, isForAnna && name === 'two' ? { allowed_user_ids: ['usr_anna'] } : {}),
      name,
    ),
  );

const calls = fc.oneof(
  { weight: 5, arbitrary: raises },
  { weight: 8, arbitrary: position.map((at) => step('deliver', (world) => world.deliver(at), String(at))) },
  { weight: 3, arbitrary: position.map((at) => step('redeliver', (world) => world.redeliver(at), String(at))) },
  { weight: 2, arbitrary: request.map((name) => step('cancel', (world) => world.cancel(name), name)) },
  { weight: 1, arbitrary: request.map((name) => step('acknowledge', (world) => world.acknowledge(name), name)) },
  { weight: 1, arbitrary: fc.constant(step('attach', (world) => world.attach())) },
  { weight: 1, arbitrary: fc.constant(step('reconcile', (world) => world.reconcile())) },
);
/** Two workers, or a worker and a call: their side effects fall between each other's. */
const together = fc.tuple(calls, calls).map(([one, other]) => ({
  does: `together ${one.does}, ${other.does}`,
  run: (world: World) => Promise.all([one.run(world), other.run(world)]),
}));
const doing = fc.oneof(
  { weight: 12, arbitrary: calls },
  { weight: 4, arbitrary: together },
  { weight: 6, arbitrary: writes },
  {
    weight: 2,
    arbitrary: fc.constantFrom(500, 15_000, 70_000).map((ms) => step('pass', (world) => world.pass(ms), `${ms} ms`)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom(...FAULTS))
      .map(([at, fault]) => step('disturb', (world) => world.disturb({ at, fault }), `call ${at}: ${fault}`)),
  },
  { weight: 1, arbitrary: fc.boolean().map((down) => step('host', (w) => w.setHost(down), down ? 'down' : 'up')) },
);
const history = fc.array(
  fc
    .tuple(fc.constantFrom(0 as const, 1 as const), doing)
    .map(([thread, { does, run }]): Step => ({ thread, does: `${thread}: ${does}`, run })),
  { minLength: 8, maxLength: 28, size: 'max' },
);

it(`${HISTORIES} random histories end with every invariant held`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (given) => {
      const pair = [new World(table, `history-${++worlds}`), new World(table, `history-${++worlds}`)] as const;
      for (const { thread, does, run } of given) {
        await run(pair[thread]);
        const what = does.split(' ')[1] ?? '';
        seen.set(what, (seen.get(what) ?? 0) + 1);
        steps++;
      }
      for (const world of pair) {
        await world.comeToRest();
        expect(await brokenInvariants(world), given.map(({ does }) => does).join('\n')).toEqual([]);
      }
    }),
    { numRuns: HISTORIES, seed: SEED, endOnFailure: !process.env.SHRINK },
  );
}, 600_000);

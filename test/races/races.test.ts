import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownField } from '#core/item.ts';
import { resolveItem } from '../../functions/resolver/resolve-item.ts';
import { FAULTS, FaultyProcess } from '../crash/faults.ts';
import { brokenInvariants } from '../crash/held-invariants.ts';
import { Outside } from '../crash/outside.ts';
import { seededRandom } from '../crash/random.ts';
import { startTable, type TestTable } from '../support/dynamodb.ts';

const PROMPTS = Number(process.env.PROMPTS ?? 40);
const AT_ONCE = 10;
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
let table: TestTable;
beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table.stop());

const idOf = (raised: unknown) => String(ownField(ownField(raised, 'prompt'), 'prompt_id'));

it('200 simultaneous replies and a cancel: one wins, every other reply is a next turn, the canceller is told (I19)', async () => {
  const outside = new Outside(table, 'crowd', undefined);
  const prompt_id = idOf(await outside.raise('one'));
  const replies = Array.from({ length: 200 }, (_, n) => outside.say(n % 2 ? 'yes' : 'no', { user_id: `usr_${n}` }));
  const [cancelled] = await Promise.all([outside.cancel(prompt_id), ...replies.map((reply) => outside.deliver(reply))]);
  await outside.calmDown();
  const outcomes = outside.sent.filter(({ type }) => type !== 'next_turn');
  expect(new Set(outcomes.map(({ message_id }) => message_id)).size).toBe(1);
  const won = outcomes[0]?.type === 'prompt_answered' ? 'answered' : 'cancelled';
  expect(ownField(ownField(cancelled, 'prompt'), 'prompt_state')).toBe(won);
  expect(brokenInvariants(outside, won === 'answered' ? replies : [], undefined)).toEqual([]);
  const turns = new Set(outside.sent.filter(({ type }) => type === 'next_turn').map(({ message_id }) => message_id));
  expect(turns.size).toBe(won === 'answered' ? 199 : 200);
}, 180_000);

/** Two or three replies at once, each by a worker that may go wrong at any of its calls; then all come again. */
async function raceOnce(n: number): Promise<string[]> {
  const outside = new Outside(table, `race-${n}`, undefined);
  await outside.raise('one');
  const replies = Array.from({ length: 2 + random(2) }, (_, i) => outside.say(['yes', 'no', 'later'][i] ?? ''));
  await Promise.all(
    replies.map(async (reply) => {
      const plan = { at: 1 + random(7), fault: FAULTS[random(FAULTS.length)] ?? 'dies before' };
      await resolveItem(outside.ports(new FaultyProcess(plan)), outside.thread, reply).catch(() => undefined);
    }),
  );
  for (const reply of replies) await outside.deliver(reply);
  await outside.calmDown();
  return brokenInvariants(outside, replies, undefined).map((broken) => `race ${n}: ${broken}`);
}

it(`${PROMPTS} prompts with two or three answers each, their workers killed: one outcome each, no reply lost`, async () => {
  console.log(`races: seed ${seed}`);
  const broken: string[] = [];
  const numbers = Array.from({ length: PROMPTS }, (_, n) => n).values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const n of numbers) broken.push(...(await raceOnce(n)));
    }),
  );
  expect(broken).toEqual([]);
}, 600_000);

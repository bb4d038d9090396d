import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { startWorld, type World } from '../local/world.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import { itemsOf, newFolder, placeOf, threadOf } from './given-runner.ts';

/** A runner process that is killed at a step, and another one that asks again with the same `request_id`. */
const stops = new StopStack();
let world: World;

beforeAll(async () => {
  world = await startWorld(await assembly(), () => {}, stops);
}, 90_000);
afterAll(() => stops.stopAll());

type Life = { told: Record<string, unknown>[]; text: () => string; ended: Promise<unknown>; child: ChildProcess };
function live(session: string, folder: string, dieAt?: string): Life {
  const given = JSON.stringify({ place: placeOf(world), session, folder, dieAt });
  const script = fileURLToPath(import.meta.resolve('./crashing-runner.ts'));
  const child = spawn(process.execPath, [script, given], { stdio: ['ignore', 'pipe', 'inherit'] });
  stops.add(() => child.kill('SIGKILL'));
  let text = '';
  const told: Record<string, unknown>[] = [];
  child.stdout.on('data', (chunk) => {
    text += chunk;
    told.length = 0;
    told.push(
      ...text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    );
  });
  return { told, text: () => text, ended: once(child, 'close'), child };
}
const asked = (session: string) =>
  eventually(async () => (await itemsOf(world, threadOf(session), 'pending_prompt')).length > 0, `${session} asked`);

const ANSWER = {
  state: 'answered',
  answers: [{ question: 'Run it?', answer: ['Approve'] }],
  item: { user_id: 'usr_anna' },
};

it.each([
  'before prompts',
  'after prompts',
  'while it waits',
  'after ReceiveMessage',
  'before DeleteMessageBatch',
  'after DeleteMessageBatch',
  'outcome',
  'before ack',
])(
  'killed %s, the next process gets the same answer to the one question that was asked',
  async (step) => {
    const session = `ses ${step}`;
    const [folder, thread] = [newFolder(), threadOf(session)];
    const first = live(session, folder, step);
    if (step === 'before prompts') {
      await first.ended;
    } else {
      await asked(session);
      if (step === 'while it waits') first.child.kill('SIGKILL');
      if (step === 'while it waits' || step === 'after prompts') await first.ended;
      await world.says(thread, 'yes');
      await first.ended;
    }
    if (step !== 'while it waits') expect(first.text()).toContain(`died: ${step}`);

    const second = live(session, folder);
    if (step === 'before prompts') {
      await asked(session);
      await world.says(thread, 'yes');
    }
    await second.ended;
    expect(second.told).toMatchObject([{ outcome: ANSWER }]);
    await world.audited(thread);
    expect(await itemsOf(world, thread, 'pending_prompt')).toHaveLength(1);
    expect(await itemsOf(world, thread, 'pending_prompt_resolved')).toHaveLength(1);
    expect((await world.api.attach(thread)).unacknowledged).toEqual([]);
  },
  30_000,
);

it('killed with a next turn in hand, the next process is handed it again, and what was taken never again', async () => {
  const session = 'ses turns';
  const [folder, thread] = [newFolder(), threadOf(session)];
  await world.says(thread, 'go');
  await live(session, folder, 'handed over').ended;
  const second = live(session, folder);
  await eventually(() => second.told.length === 1, 'the turn');
  await eventually(() => readdirSync(path.join(folder, 'done')).length === 1, 'the turn is done');
  second.child.kill('SIGKILL');
  await second.ended;
  const third = live(session, folder);
  await asked(session);
  await world.says(thread, 'yes');
  await third.ended;
  expect(second.told).toEqual([{ turn: 'go' }]);
  expect(third.told).toMatchObject([{ outcome: ANSWER }]);
}, 60_000);

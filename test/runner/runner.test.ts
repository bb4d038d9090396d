import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NextTurn } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import type { Runner } from '../../runner/runner.ts';
import { startWorld, type World } from '../local/world.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import { approval, itemsOf, newFolder, placeOf, startGivenRunner, threadOf } from './given-runner.ts';

/** The client against the whole stack: the real template, bundles and emulators, with the default runner's role. */
const ANSWER = { state: 'answered', answers: [{ question: 'Run it?', answer: ['Approve'] }] };
const SUPERSEDED = { state: 'cancelled', reason: 'superseded by a new question' };

const stops = new StopStack();
let world: World;
let runner: Runner;
let thread: Thread;
let sessions = 0;

beforeAll(async () => {
  world = await startWorld(await assembly(), () => {}, stops);
  runner = await start();
}, 90_000);
afterAll(() => stops.stopAll());
afterEach(() => {
  world.door.isShut = false;
});

async function start(more: Parameters<typeof startGivenRunner>[1] = {}): Promise<Runner> {
  const started = await startGivenRunner(placeOf(world), more);
  stops.add(() => started.stop());
  return started;
}

/** A thread that no other test uses. */
function newRun(by: Runner = runner) {
  thread = threadOf(`ses_${++sessions}`);
  return by.run(thread);
}

async function questions(): Promise<string[]> {
  const items = await itemsOf(world, thread, 'pending_prompt');
  return items.map(({ metadata }) => (metadata as { prompt: { request_id: string } }).prompt.request_id);
}
const asked = (request_id: string, times = 1) =>
  eventually(async () => (await questions()).filter((id) => id === request_id).length >= times, `${request_id} asked`);
const says = (text: string) => world.says(thread, text);

describe('one question', () => {
  it('waits for the answer, hands it over with the item, and repeats it until it is acknowledged', async () => {
    const run = newRun();
    const first = run.ask({ ...approval('call_1'), session: { n: 1 } });
    await asked('call_1');
    await says('yes');
    const outcome = await first;
    expect(outcome).toMatchObject({ ...ANSWER, item: { user_id: 'usr_anna', content: [{ text: 'yes' }] } });
    expect(await run.ask(approval('call_1'))).toMatchObject(ANSWER);
    expect((await run.attach()).unacknowledged).toMatchObject([{ request_id: 'call_1', session: { n: 1 } }]);

    await outcome.acknowledge?.();
    await outcome.acknowledge?.();
    expect(await run.attach()).toEqual({ open: null, unacknowledged: [] });
    expect(await questions()).toEqual(['call_1']);
  });

  it('is acknowledged with all that the run was given', async () => {
    const run = newRun();
    const first = run.ask(approval('call_1'));
    await asked('call_1');
    await says('no');
    expect(await first).toMatchObject({ state: 'answered', answers: [{ answer: ['Deny'] }] });
    await run.acknowledge();
    expect((await run.attach()).unacknowledged).toEqual([]);
  });

  it('that was given to a run that is gone is acknowledged by its prompt', async () => {
    const gone = newRun();
    const first = gone.ask(approval('call_1'));
    await asked('call_1');
    await says('no');
    await first;
    const run = newerRun();
    const [left] = (await run.attach()).unacknowledged;
    await run.acknowledge(left?.type === 'prompt_answered' ? left.prompt.prompt_id : '');
    expect((await run.attach()).unacknowledged).toEqual([]);
  });

  it('is cancelled when the run ends, and the thread shows why', async () => {
    const run = newRun();
    const ended = new AbortController();
    const outcome = run.ask(approval('call_1'), ended.signal);
    await asked('call_1');
    ended.abort();
    expect(await outcome).toMatchObject({ state: 'cancelled', reason: 'the run ended' });
    const audit = async () => (await itemsOf(world, thread, 'pending_prompt_resolved'))[0];
    expect(await eventually(audit, 'the audit')).toMatchObject({
      metadata: { prompt: { prompt_state: 'cancelled', reason: 'the run ended' } },
    });
    // Nobody acknowledges for a run that has ended, and the API tells a cancelled prompt again for ever.
    await eventually(async () => (await run.attach()).unacknowledged.length === 0, 'the cancel acknowledged');
    expect(await newerRun().ask(approval('call_1'))).toMatchObject({ state: 'cancelled', reason: 'the run ended' });
  });

  it('that is parked stays open, and its answer waits for whoever asks with the same name', async () => {
    const run = newRun();
    const park = new AbortController();
    const parked = run.ask(approval('call_1'), undefined, park.signal);
    await asked('call_1');
    park.abort();
    expect(await parked).toEqual({ state: 'parked' });
    const again = run.ask(approval('call_1'));
    await says('yes');
    expect(await again).toMatchObject(ANSWER);
    expect(await questions()).toEqual(['call_1']);
  });

  it('is unavailable where it is not of the shape that can be asked, and says where the fault is', async () => {
    const run = newRun();
    const options = [{ label: 'Same' }, { label: 'same' }];
    const outcome = await run.ask({ ...approval('call_1'), questions: [{ question: 'Run it?', options }] });
    expect(outcome).toMatchObject({ state: 'unavailable', message: expect.stringMatching(/^Approval unavailable: /) });
    expect(outcome).toMatchObject({ message: expect.stringContaining('questions[0].options') });
    const large = {
      ...approval('call_2'),
      questions: [{ ...approval('').questions[0], question: 'x'.repeat(70_000) }],
    };
    expect(await run.ask(large)).toMatchObject({
      state: 'unavailable',
      message: expect.stringContaining('413 prompt_too_large'),
    });
  });

  it('is unavailable where the thread host is away, in the API’s own words, and never denied', async () => {
    const run = newRun();
    world.door.isShut = true;
    const outcome = await run.ask(approval('call_1'));
    expect(outcome).toMatchObject({ state: 'unavailable', message: expect.stringMatching(/^Approval unavailable: /) });
    expect(outcome).toMatchObject({ message: expect.stringContaining('No human saw or refused it') });
  }, 40_000);
});

const newerRun = () => runner.run(thread);

describe('several questions', () => {
  it('asked at once by one run come one after the other, in their order, and none supersedes another', async () => {
    const run = newRun();
    const outcomes = ['call_1', 'call_2', 'call_3'].map((request_id) => run.ask(approval(request_id)));
    await asked('call_1');
    await says('yes');
    await asked('call_2');
    expect(await questions()).toEqual(['call_1', 'call_2']);
    await says('no');
    await asked('call_3');
    await says('yes');
    expect(await Promise.all(outcomes)).toMatchObject(
      [['Approve'], ['Deny'], ['Approve']].map((answer) => ({ state: 'answered', answers: [{ answer }] })),
    );
  });

  it('that wait are never asked where the run ends, or goes away, before their turn', async () => {
    const run = newRun();
    const [ended, park] = [new AbortController(), new AbortController()];
    const first = run.ask(approval('call_1'));
    const waiting = [run.ask(approval('call_2'), ended.signal), run.ask(approval('call_3'), undefined, park.signal)];
    await asked('call_1');
    ended.abort();
    park.abort();
    expect(await Promise.all(waiting)).toEqual([{ state: 'cancelled', reason: 'the run ended' }, { state: 'parked' }]);
    const last = run.ask(approval('call_4'));
    await says('yes');
    await first;
    await asked('call_4');
    await says('yes');
    expect(await last).toMatchObject(ANSWER);
    expect(await questions()).toEqual(['call_1', 'call_4']);
  });

  it('of an older run are superseded by a newer run’s, and the older one does not take the thread back', async () => {
    const older = newRun();
    const open = older.ask(approval('old_1'));
    const waits = older.ask(approval('old_2'));
    await asked('old_1');
    const newer = newerRun().ask(approval('new_1'));
    expect(await Promise.all([open, waits])).toMatchObject([SUPERSEDED, SUPERSEDED]);
    expect(await older.ask(approval('old_3'))).toEqual(SUPERSEDED);
    await asked('new_1');
    await says('yes');
    expect(await newer).toMatchObject(ANSWER);
    expect(await questions()).toEqual(['old_1', 'new_1']);
  });

  it('of an older run are not asked any more once a newer one has asked, whether it asked before or never', async () => {
    const [never, older, newer] = [newRun(), newerRun(), newerRun()];
    const first = older.ask(approval('old_1'));
    await asked('old_1');
    await says('yes');
    await first;
    const open = newer.ask(approval('new_1'));
    await asked('new_1');
    expect(await Promise.all([older.ask(approval('old_2')), never.ask(approval('old_3'))])).toEqual([
      SUPERSEDED,
      SUPERSEDED,
    ]);
    await says('yes');
    expect(await open).toMatchObject(ANSWER);
    expect(await questions()).toEqual(['old_1', 'new_1']);
  });

  it('of a run that another process superseded are told so too', async () => {
    const older = newRun();
    const open = older.ask(approval('old_1'));
    const waits = older.ask(approval('old_2'));
    await asked('old_1');
    await world.api.raise(thread, approval('new_1'));
    expect(await Promise.all([open, waits])).toMatchObject([SUPERSEDED, SUPERSEDED]);
    expect(await questions()).toEqual(['old_1', 'new_1']);
    // Old news to a run that asks again after a restart: that run goes on.
    const restarted = newerRun();
    expect(await restarted.ask(approval('old_1'))).toMatchObject(SUPERSEDED);
    const next = restarted.ask(approval('call_2'));
    await asked('call_2');
    await says('yes');
    expect(await next).toMatchObject(ANSWER);
  });
});

describe('next turns', () => {
  it('come together, in order, one hand-over at a time, and hold up no answer of the turn that they wait for', async () => {
    await runner.stop();
    const turns: string[][] = [];
    const ends = [Promise.withResolvers<void>()];
    const onNextTurn = async (of: Thread, messages: NextTurn[]): Promise<void> => {
      if (of.session_id !== thread.session_id) return;
      turns.push(messages.map(({ item }) => String(item.content[0]?.text)));
      await ends[0]?.promise;
    };
    runner = await start({ onNextTurn });
    const run = newRun();
    await says('one');
    await eventually(() => turns.length === 1, 'the first turn');
    await says('two');
    const outcome = run.ask(approval('call_1'));
    await asked('call_1');
    await says('yes');
    await says('three');
    await says('four');
    expect(await outcome).toMatchObject(ANSWER);
    await run.acknowledge();
    const attached = () => itemsOf(world, thread, 'pending_prompt_resolved').then(({ length }) => length === 1);
    await eventually(attached, 'the audit');
    expect(turns).toEqual([['one']]);
    ends[0]?.resolve();
    await eventually(() => turns.flat().length === 4, 'all turns');
    expect(turns.flat()).toEqual(['one', 'two', 'three', 'four']);
    expect(turns[1]?.slice(0, 1)).toEqual(['two']);
  }, 30_000);

  it('that an agent did not take, or that a stopped process had in hand, are handed over again', async () => {
    await runner.stop();
    const folder = newFolder();
    const taken: string[] = [];
    let isFirst = true;
    const hang = async (): Promise<void> => {
      if (isFirst) {
        isFirst = false;
        throw new Error('the agent did not start');
      }
      taken.push('in hand');
      await new Promise(() => {});
    };
    const stopped = await start({ folder, onNextTurn: hang });
    newRun(stopped);
    await says('go');
    await eventually(() => taken.length === 1, 'the second try');
    await stopped.stop();
    runner = await start({ folder, onNextTurn: async (_, messages) => void taken.push(...messages.map(nameOf)) });
    await eventually(() => taken.length === 2, 'the hand-over after the restart');
    expect(taken).toEqual(['in hand', 'go']);
  }, 30_000);
});

const nameOf = ({ item }: NextTurn) => String(item.content[0]?.text);

it('a runner that stops leaves its questions open', async () => {
  const stopped = await start();
  const parked = newRun(stopped).ask(approval('call_1'));
  await asked('call_1');
  await stopped.stop();
  expect(await parked).toEqual({ state: 'parked' });
  const again = newerRun().ask(approval('call_1'));
  await says('yes');
  expect(await again).toMatchObject(ANSWER);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Item, metadataField, ownField, textOf } from '#core/item.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { TestTable } from '../support/dynamodb.ts';
import { OWN_USER } from '../support/given.ts';
import { type Fault, FaultyProcess, type Plan } from './faults.ts';
import { Outside } from './outside.ts';

/**
 * The crash matrix: every call to the outside of every scenario goes wrong, once in each way. Then the outside does what
 * it does anyway - the queue delivers again, the runner calls again, the reconciler runs - and the end must be the one of
 * the undisturbed run (I9, I10).
 */
type Scenario = (outside: Outside) => Promise<unknown>;
const idOf = (raised: unknown) => String(ownField(ownField(raised, 'prompt'), 'prompt_id'));

const SCENARIOS: Record<string, Scenario> = {
  raise: (outside) => outside.raise('one'),
  answer: async (outside) => {
    await outside.raise('one');
    await outside.deliver(outside.say('yes'));
  },
  'structured answer': async (outside) => {
    await outside.raise('one');
    const answers = [{ question: 'one?', answer: ['Approve'] }];
    await outside.deliver(outside.say('as above', { metadata: { answers } }));
  },
  'two replies, each delivered twice': async (outside) => {
    await outside.raise('one');
    const [first, second] = [outside.say('no'), outside.say('yes')];
    for (const item of [first, second, first, second]) await outside.deliver(item);
  },
  'a reply written before the question': async (outside) => {
    const early = outside.say('yes');
    await outside.raise('one');
    await outside.deliver(early);
  },
  supersede: async (outside) => {
    await outside.raise('one');
    await outside.raise('two');
    await outside.deliver(outside.say('yes'));
  },
  cancel: async (outside) => outside.cancel(idOf(await outside.raise('one'))),
  'a cancel after an answer': async (outside) => {
    const prompt_id = idOf(await outside.raise('one'));
    await outside.deliver(outside.say('yes'));
    expect(await outside.cancel(prompt_id)).toMatchObject({ prompt: { prompt_state: 'answered' } });
  },
  'next turn': async (outside) => outside.deliver(outside.say('hello')),
  'our own items come back': async (outside) => {
    await outside.raise('one');
    await outside.deliver(outside.say('yes'));
    for (const item of outside.host.items(outside.thread).filter(({ user_id }) => user_id === OWN_USER)) {
      await outside.deliver(item);
    }
  },
  adoption: async (outside) => {
    for (const n of ['1', '2']) {
      const questions = [{ question: `adopted ${n}?` }];
      const prompt = {
        prompt_id: `prm_01J0000000000000000000000${n}`,
        kind: 'text',
        prompt_state: 'pending',
        questions,
      };
      outside.host.put(outside.thread, OWN_USER, { metadata: { type: 'pending_prompt', prompt } });
    }
    outside.say('my words');
    outside.say('and more');
    await outside.attach();
  },
};

let runs = 0;

/**
 * @param faults in which ways the n-th call of a scenario goes wrong, by its name
 */
export function crashMatrix(
  engine: string,
  start: () => Promise<TestTable>,
  faults: (call: string, n: number) => readonly Fault[],
): void {
  describe(`the crash matrix on ${engine}`, () => {
    let table: TestTable;
    beforeAll(async () => {
      table = await start();
    }, 60_000);
    afterAll(async () => {
      console.log(`crash matrix on ${engine}: ${runs} runs`);
      await table?.stop();
    });

    it.each(Object.entries(SCENARIOS))(
      '%s ends the same after any fault at any call',
      async (_name, scenario) => {
        const undisturbed = await run(table, scenario, undefined);
        for (const [index, call] of undisturbed.calls.entries()) {
          for (const fault of faults(call, index)) {
            const plan = { at: index + 1, fault };
            const { end } = await run(table, scenario, plan).catch((error) => ({ end: String(error) }));
            expect(end, `call ${index + 1}, ${call}: ${fault}`).toEqual(undisturbed.end);
          }
        }
      },
      120_000,
    );
  });
}

/** What people, the agent and the next call see in the end; the same whatever happened on the way. */
async function run(table: TestTable, scenario: Scenario, plan: Plan): Promise<{ end: unknown; calls: string[] }> {
  const outside = new Outside(table, `thread-${++runs}`, plan);
  await scenario(outside);
  await outside.calmDown();
  const { slot } = await outside.ports(new FaultyProcess(undefined)).store.read(outside.thread);
  const items = outside.host.items(outside.thread);
  return {
    calls: outside.calls,
    end: {
      thread: items.map((item) => seen(item, items)).sort(),
      told: [...new Set(outside.sent.map((message) => told(message, items)))].sort(),
      active: slot.active && [slot.active.state, slot.active.questions[0]?.question],
      unacknowledged: ((await outside.attach()).unacknowledged as unknown as RunnerMessage[])
        .map((message) => told(message, items))
        .sort(),
    },
  };
}

/** A prompt by its question: ids are made anew in every run. */
function nameOf(prompt: unknown, items: Item[]): string {
  const idIn = (value: unknown) => ownField(value, 'prompt_id');
  const asks = (item: Item) =>
    idIn(metadataField(item, 'prompt')) === idIn(prompt) && metadataField(item, 'type') === 'pending_prompt';
  const questions = ownField(
    metadataField(items.find(asks) ?? ({ ...items[0], metadata: {} } as Item), 'prompt'),
    'questions',
  );
  return Array.isArray(questions) ? String(ownField(questions[0], 'question')) : 'nothing';
}

function seen(item: Item, items: Item[]): string {
  const prompt = metadataField(item, 'prompt');
  const outcome = ['prompt_state', 'answers', 'reason'].map((name) => ownField(prompt, name));
  return `${item.user_id} ${String(metadataField(item, 'type'))} ${nameOf(prompt, items)} ${JSON.stringify(outcome)}`;
}

function told(message: RunnerMessage, items: Item[]): string {
  if (message.type === 'next_turn') return `next turn: ${textOf(message.item)}`;
  return `${message.type} ${nameOf(message.prompt, items)} ${JSON.stringify({ ...message.prompt, prompt_id: '' })}`;
}

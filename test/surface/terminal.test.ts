import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '#core/item.ts';
import type { AskedPrompt } from '../../surface/read-prompt.ts';
import { answerCommand } from '../../surface/terminal/answer-command.ts';
import { eventually } from '../support/eventually.ts';
import { type GivenHost, givenHost, THREAD, words } from './given-host.ts';
import { APPROVAL, FORM } from './prompts.ts';

let given: GivenHost;
beforeEach(async () => {
  given = await givenHost();
});
afterEach(() => given.host.stop());

const DOWN = '\u001b[B';
const ENTER = '\r';
const SPACE = ' ';

async function ask(prompt: AskedPrompt, thread = THREAD): Promise<void> {
  await given.as('runner').post(thread, words('asked', { type: 'pending_prompt', prompt }));
}

/** Plays the agent: the first item that a person posts gets these answers on record. */
async function resolve(prompt_id: string, answersOf: (item: Item) => unknown): Promise<void> {
  const isAnswer = ({ user_id }: Item) => user_id !== 'usr_runner';
  const item = await eventually(async () => (await given.as('runner').list(THREAD)).find(isAnswer), 'an answer');
  const prompt = { prompt_id, prompt_state: 'answered', answers: answersOf(item) };
  await given.as('runner').post(THREAD, words('', { type: 'pending_prompt_resolved', prompt }));
}
const asGiven = (item: Item) => (item.metadata as { answers: unknown }).answers;

/** One run of the command, with keys pressed as what they answer comes up. */
async function run(args: string[], keys: [shown: string, ...pressed: string[]][] = []) {
  const input = new PassThrough();
  // As the terminal's own, it is not ended by the first list.
  const output = Object.assign(new PassThrough(), { end: () => output });
  let [raw, screen] = ['', ''];
  let [printed, complained] = ['', ''];
  output.on('data', (chunk) => {
    raw += String(chunk);
    screen += stripVTControlCharacters(String(chunk));
  });
  const running = answerCommand(['--url', given.host.surfaceUrl, ...args], {
    print: (text) => {
      printed += `${text}\n`;
    },
    complain: (text) => {
      complained += `${text}\n`;
    },
    context: { input, output },
  });
  for (const [shown, ...pressed] of keys) {
    await eventually(
      () => screen.includes(shown),
      () => `"${shown}" on:\n${screen}`,
    );
    screen = '';
    for (const key of pressed) input.write(key);
  }
  const code = await running;
  return { code, printed, complained, raw };
}

describe('for scripts', () => {
  it('lists the open questions', async () => {
    await ask(FORM);
    await ask(APPROVAL, { ...THREAD, session_id: 'other' });
    const { code, printed } = await run(['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject([
      { ...FORM, thread: THREAD },
      { ...APPROVAL, thread: { ...THREAD, session_id: 'other' } },
    ]);
  });

  it('answers one with structured answers and tells the outcome', async () => {
    await ask(FORM);
    const resolved = resolve('prm_2', asGiven);
    const lists = [['staging'], [], ['dark']];
    const { code, printed } = await run(['--json', '--prompt', 'prm_2', '--answers', JSON.stringify(lists)]);
    await resolved;
    expect(code).toBe(0);
    const answers = FORM.questions.map(({ question }, at) => ({ question, answer: lists[at] }));
    expect(JSON.parse(printed)).toMatchObject({ won: true, outcome: { state: 'answered', answers } });
    expect((await given.as('anna').list(THREAD))[1]).toMatchObject({
      user_id: 'usr_anna',
      content: [{ type: 'text', text: 'staging · (none) · dark' }],
      metadata: { prompt_id: 'prm_2', answers },
    });
  });

  it('answers as another user, and denies with words', async () => {
    await ask(APPROVAL);
    const resolved = resolve('prm_1', asGiven);
    const how = ['--user', 'usr_ben', '--words', 'yes', '--answers', '[["Deny"]]'];
    expect((await run(['--json', '--prompt', 'prm_1', ...how])).code).toBe(0);
    await resolved;
    const [, item] = await given.as('anna').list(THREAD);
    expect(item).toMatchObject({ user_id: 'usr_ben', content: [{ text: 'Deny: yes' }] });
  });

  it('tells that another answer came first', async () => {
    await ask(APPROVAL);
    const denied = [{ question: 'Run it?', answer: ['Deny'] }];
    const resolved = resolve('prm_1', () => denied);
    const { code, printed } = await run(['--json', '--prompt', 'prm_1', '--answers', '[["Approve"]]']);
    await resolved;
    expect(JSON.parse(printed)).toMatchObject({ outcome: { state: 'answered', answers: denied } });
    expect(JSON.parse(printed).won).toBe(false);
    expect(code).toBe(1);
  });

  it.each([
    ['an unknown flag', ['--yes'], "Unknown option '--yes'"],
    ['a prompt that is not open', ['--prompt', 'prm_9', '--answers', '[]'], 'prm_9 is not open.'],
    ['answers that are no JSON', ['--prompt', 'prm_1', '--answers', 'yes'], 'must be JSON'],
    ['answers that are no lists', ['--prompt', 'prm_1', '--answers', '["Approve"]'], 'must be JSON'],
    ['too few answers', ['--prompt', 'prm_1', '--answers', '[]'], '--answers must hold 1 lists'],
    ['an approval that is neither', ['--prompt', 'prm_1', '--answers', '[["yes"]]'], 'answered with [["Approve"]]'],
    ['an unknown user', ['--user', 'usr_x'], 'there are: usr_anna, usr_ben'],
    ['a wrong key', ['--key', 'x'], 'X-API-Key is not known here.'],
  ])('refuses %s in one sentence, and posts nothing', async (_name, args, message) => {
    await ask(APPROVAL);
    const { code, printed } = await run(['--json', ...args]);
    expect(code).toBe(1);
    expect(JSON.parse(printed).error).toContain(message);
    expect(await given.as('anna').list(THREAD)).toHaveLength(1);
  });
});

describe('with arrow keys', () => {
  it('answers a form: one of a list, several with "Other", and words', async () => {
    await ask(FORM);
    const resolved = resolve('prm_2', asGiven);
    const { code, printed } = await run(
      [],
      [
        ['Where?', DOWN, DOWN, ENTER],
        ['Which?', SPACE, DOWN, DOWN, DOWN, SPACE, ENTER],
        ['Your own answer', 'a map', ENTER],
        ['Any style?', 'dark', ENTER],
      ],
    );
    await resolved;
    expect(printed).toContain('Where? → production\nWhich? → KPI cards, a map\nAny style? → dark\n');
    expect(code).toBe(0);
  });

  it('decides nothing at Enter alone', async () => {
    await ask(APPROVAL);
    expect(await run([], [['The agent asks for approval', ENTER]])).toMatchObject({ code: 0, complained: '' });
    expect(await given.as('anna').list(THREAD)).toHaveLength(1);
  });

  it('approves', async () => {
    await ask(APPROVAL);
    const resolved = resolve('prm_1', asGiven);
    const { printed } = await run(
      [],
      [
        ['The agent asks for approval', DOWN, ENTER],
        ['Words to the agent', ENTER],
      ],
    );
    await resolved;
    expect(printed).toContain('Run it? → Approve');
  });

  it('lets one choose among several questions', async () => {
    await ask(FORM, { ...THREAD, session_id: 'other' });
    await ask(APPROVAL);
    const resolved = resolve('prm_1', asGiven);
    const { code } = await run(
      [],
      [
        ['2 open questions', DOWN, ENTER],
        ['The agent asks for approval', DOWN, DOWN, ENTER],
        ['Words to the agent', 'no', ENTER],
      ],
    );
    await resolved;
    expect(code).toBe(0);
  });

  it('shows no control characters of an agent', async () => {
    const hostile = '\u001b]0;owned\u0007\u001b[2Jx';
    await ask({ ...FORM, questions: [{ question: hostile, options: [{ label: hostile }, { label: 'b' }] }] });
    const { printed, raw } = await run([], [['<U+001B>[2Jx', ENTER]]);
    expect(printed).toContain('<U+001B>]0;owned<U+0007><U+001B>[2Jx');
    expect(printed).not.toContain('\u001b');
    expect(raw).not.toContain('\u001b]0;owned');
  });

  it('shows the text of a prompt that it cannot read, and answers it in words', async () => {
    const prompt = { prompt_id: 'prm_3', kind: 'picture' };
    await given.as('runner').post(THREAD, words('Which colour?', { type: 'pending_prompt', prompt }));
    const resolved = resolve('prm_3', () => [{ question: 'Which colour?', answer: ['blue'] }]);
    const { code, printed } = await run([], [['Your answer', 'blue', ENTER]]);
    await resolved;
    expect(printed).toContain('Which colour?');
    expect(code).toBe(0);
    const [, item] = await given.as('anna').list(THREAD);
    expect(item).toMatchObject({ content: [{ text: 'blue' }], metadata: { prompt_id: 'prm_3' } });
  });

  it('says so where nothing waits', async () => {
    expect(await run([])).toMatchObject({ code: 0, printed: 'No question waits for an answer.\n', complained: '' });
  });
});

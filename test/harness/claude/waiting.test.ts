import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { expect, inject, it } from 'vitest';
import { ASK_USER } from '../../../runner/claude/ask-user-tool.ts';
import { type ClaudeRun, type ClaudeSession, runClaude, sessionAfter } from '../../../runner/claude/run-claude.ts';
import { interruptedCalls } from '../../../runner/interrupted-calls.ts';
import { eventually } from '../../support/eventually.ts';
import { askOnStack, newThread, person } from '../thread-on-stack.ts';
import type { Block } from './fake-anthropic.ts';
import { bash, environment, finish, inWorkshop, type Script, type Workshop } from './in-workshop.ts';
import { processesOf } from './processes.ts';
import type { RunnerOrder } from './runner-process.ts';

/** The real Claude Code waits for longer than its process, or its machine, lasts. */
const addresses = inject('addresses');
const RESTARTED = 'The agent runner was restarted';
const CALL_ID = 'toolu_the_very_same_call';
const guarded: Pick<ClaudeRun, 'decide' | 'holdMs'> = {
  decide: ({ tool }) => (tool === 'Bash' ? 'ask' : 'allow'),
  holdMs: 0,
};
type Scene = Workshop & { someone: ReturnType<typeof person>; run: ClaudeRun; thread: ReturnType<typeof newThread> };

async function scene(script: Script, act: (scene: Scene) => Promise<void>): Promise<void> {
  const thread = newThread();
  const { ask, stop } = askOnStack(addresses, thread);
  try {
    await inWorkshop(script, async (workshop) => {
      const { cwd, env } = workshop;
      const options = { cwd, env, settingSources: [] };
      const run: ClaudeRun = { sdk, ask, ...guarded, prompt: 'TASK: go', options };
      await act({ ...workshop, run, thread, someone: person(addresses, thread) });
    });
  } finally {
    await stop();
  }
}

/** Lets the run go on in the background, and tells what it says of its session as it says it. */
function watched(run: ClaudeRun) {
  const seen = { session: undefined as ClaudeSession | undefined, processes: 0 };
  const end = (async () => {
    const messages = runClaude(run);
    for (;;) {
      const next = await messages.next();
      if (next.done) return next.value;
      if (next.value.subtype === 'init') seen.processes++;
      seen.session = sessionAfter(seen.session, next.value);
    }
  })();
  const deferred = () => eventually(() => seen.session?.deferred, 'the deferred call', 20_000);
  return { seen, end, deferred };
}

const firstThen =
  (...blocks: Block[]): Script =>
  ({ results }) =>
    results.length ? undefined : blocks;

it('held no longer: no process runs while the person thinks, and the answer goes to the very same call', () =>
  scene(firstThen(bash('touch late', CALL_ID)), async ({ run, env, someone, made, read, model }) => {
    const { seen, end, deferred } = watched(run);
    await someone.question();
    expect((await deferred()).name).toBe('Bash');
    await eventually(() => processesOf(env.HOME).length === 0, 'the end of the process');
    expect(model.turns).toHaveLength(1);
    await someone.reply('approve');
    expect(await end).toMatchObject({ state: 'ended', session: { busy: false } });
    expect(made('late')).toBe(true);
    expect(read()).toMatchObject([{ tool_use_id: CALL_ID, is_error: false }]);
    expect(await someone.audit()).toBe('✓ Answered: Approve');
    expect(seen.session).not.toHaveProperty('deferred');
  }));

it("a late denial comes in the person's own words alone, without a hook's frame around them", () =>
  scene(firstThen(bash('touch late', CALL_ID)), async ({ run, someone, made, read }) => {
    const { end, deferred } = watched(run);
    await deferred();
    await someone.question();
    await someone.reply('use the staging account');
    await end;
    expect(made('late')).toBe(false);
    expect(read()).toMatchObject([
      { tool_use_id: CALL_ID, is_error: true, text: 'The user denied this request: use the staging account' },
    ]);
  }));

it('a late answer to ask_user reaches the tool of a new process', () => {
  const questions = [
    { question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] },
    { question: 'Why?' },
  ];
  return scene(firstThen({ type: 'tool_use', name: ASK_USER, id: CALL_ID, input: { questions } }), async (scene) => {
    const { end, deferred } = watched(scene.run);
    expect((await deferred()).name).toBe(ASK_USER);
    await scene.someone.question();
    const answers = questions.map(({ question }, n) => ({ question, answer: [['blue', 'it is calm'][n] ?? ''] }));
    await scene.someone.reply('', answers);
    expect(await end).toMatchObject({ state: 'ended' });
    expect(scene.read()).toMatchObject([{ tool_use_id: CALL_ID, is_error: false, text: JSON.stringify({ answers }) }]);
  });
});

it('a late answer to AskUserQuestion reaches the very same call', () => {
  const options = ['red', 'blue'].map((label) => ({ label, description: label }));
  const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
  return scene(
    firstThen({ type: 'tool_use', name: 'AskUserQuestion', id: CALL_ID, input: { questions } }),
    async (scene) => {
      const { end, deferred } = watched(scene.run);
      expect((await deferred()).name).toBe('AskUserQuestion');
      await scene.someone.question();
      await scene.someone.reply('2');
      await end;
      expect(scene.read()).toMatchObject([{ tool_use_id: CALL_ID, is_error: false }]);
      expect(scene.read()[0]?.text).toContain('"Which colour?"="blue"');
    },
  );
});

it('a resumed call that comes before the harness knows of the hooks still gets its verdict, although its tool is allowed', () =>
  scene(firstThen(bash('touch early', CALL_ID)), async ({ run, someone, made, read }) => {
    // The harness starts with the deferred call, at times before the SDK has told it of the hooks; here always.
    const withoutHooks: ClaudeRun['sdk'] = {
      ...sdk,
      query: ({ prompt, options = {} }) =>
        sdk.query({ prompt, options: options.resume ? { ...options, hooks: {} } : options }),
    };
    const options = { ...run.options, allowedTools: ['Bash'] };
    const { end, deferred } = watched({ ...run, sdk: withoutHooks, options });
    await deferred();
    await someone.question();
    await someone.reply('no');
    await end;
    expect(made('early')).toBe(false);
    expect(read()).toMatchObject([{ tool_use_id: CALL_ID, text: 'The user denied this request: no' }]);
  }));

const onceOnly: Script = ({ results, heard }) =>
  results.length || heard.includes(RESTARTED) ? undefined : [bash('touch woken', CALL_ID)];

it('a session that was killed after its deferred call had run is woken by a message', () =>
  scene(onceOnly, async ({ run, someone, model }) => {
    const { end, seen, deferred } = watched(run);
    await deferred();
    const session = seen.session;
    await someone.question();
    await someone.reply('yes');
    await end;
    const { prompt: _told, ...goingOn } = run;
    expect(await finish(runClaude({ ...goingOn, ...(session && { session }) }))).toMatchObject({ state: 'ended' });
    expect(model.turns.at(-1)?.heard).toContain(RESTARTED);
  }));

it('two calls of one message: one is deferred, the other reads that it was not asked about, and none is lost', () => {
  const script: Script = ({ results }) => {
    if (results.length === 0) return [bash('touch first', CALL_ID), bash('touch second')];
    return results.some(({ text }) => text.startsWith('Approval unavailable')) ? [bash('touch second')] : undefined;
  };
  return scene(script, async ({ run, someone, made, read }) => {
    const { end } = watched(run);
    expect((await someone.question(0)).text).toContain('touch first');
    await someone.reply('yes');
    expect((await someone.question(1)).text).toContain('touch second');
    await someone.reply('yes');
    await end;
    expect([made('first'), made('second')]).toEqual([true, true]);
    expect(read().map(({ text }) => text)).toContain(
      'Approval unavailable: another call of the same message is waiting for a person; make this one after it. No human saw or refused it.',
    );
    expect(await someone.items()).toHaveLength(6);
  });
});

it('parked, then resumed on another machine through a session store', () =>
  scene(firstThen(bash('touch elsewhere', CALL_ID)), async ({ run, model, cwd, someone, made, read }) => {
    const sessionStore = new sdk.InMemorySessionStore();
    const leaving = new AbortController();
    const here = watched({
      ...run,
      holdMs: 3_600_000,
      park: leaving.signal,
      options: { ...run.options, sessionStore },
    });
    await someone.question();
    leaving.abort();
    const parked = await here.end;
    expect(parked).toMatchObject({ state: 'parked', session: { deferred: { id: CALL_ID, name: 'Bash' } } });
    await someone.reply('yes');

    const { prompt: _told, ...goingOn } = run;
    const env = environment(model.url, path.join(path.dirname(cwd), 'another-home'));
    mkdirSync(env.HOME ?? '');
    const there = { ...goingOn, options: { cwd, env, settingSources: [], sessionStore } };
    const session = parked.session ?? { session_id: '', busy: true };
    expect(await finish(runClaude({ ...there, session }))).toMatchObject({ state: 'ended' });
    expect(made('elsewhere')).toBe(true);
    expect(read()).toMatchObject([{ tool_use_id: CALL_ID, is_error: false }]);
  }));

it('without a policy of ours, parked and started again: the same call made again goes on with the same prompt', () => {
  const script: Script = ({ results, heard }) =>
    heard.includes(RESTARTED) || !results.length ? [bash('touch again')] : undefined;
  return scene(script, async ({ run, env, thread, someone, made, model }) => {
    const { decide: _none, prompt = '', ...harnessDecides } = run;
    const leaving = new AbortController();
    const before = watched({ ...harnessDecides, prompt, park: leaving.signal });
    await someone.question();
    leaving.abort();
    const { state, session } = await before.end;
    expect([state, session?.busy, session?.deferred]).toEqual(['parked', true, undefined]);
    expect(processesOf(env.HOME)).toEqual([]);
    expect(model.turns).toHaveLength(1);

    const { api, ask, stop } = askOnStack(addresses, thread);
    try {
      const interrupted = interruptedCalls(await api.attach(thread), 'claude-code', session?.session_id ?? '');
      const after = finish(runClaude({ ...harnessDecides, ask, interrupted, ...(session && { session }) }));
      await someone.reply('yes');
      expect(await after).toMatchObject({ state: 'ended' });
    } finally {
      await stop();
    }
    expect(made('again')).toBe(true);
    expect(await someone.items()).toHaveLength(3);
  });
});

function startRunner(order: RunnerOrder): ChildProcess {
  const program = path.join(import.meta.dirname, 'runner-process.ts');
  return spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['ignore', 'inherit', 'inherit'] });
}

async function killedRunner(script: Script, holdMs: number, isDue: (order: RunnerOrder) => boolean) {
  const thread = newThread();
  const someone = person(addresses, thread);
  await inWorkshop(script, async ({ cwd, env, model, made, read }) => {
    const sessionFile = path.join(path.dirname(cwd), 'session.json');
    const order = { addresses, thread, cwd, env, sessionFile, holdMs };
    const first = startRunner(order);
    await someone.question();
    await eventually(() => isDue(order), 'the moment to kill the runner', 20_000);
    const heardBefore = model.turns.length;
    const gone = once(first, 'exit');
    first.kill('SIGKILL');
    await gone;
    await eventually(() => processesOf(env.HOME).length === 0, 'the end of Claude Code, too');
    expect(made('survived')).toBe(false);

    await someone.reply('yes');
    expect(await someone.audit()).toBe('✓ Answered: Approve');
    expect(model.turns).toHaveLength(heardBefore);
    const second = startRunner(order);
    expect(await once(second, 'exit')).toEqual([0, null]);
    expect(made('survived')).toBe(true);
    // Asked once, answered once.
    expect(await someone.items()).toHaveLength(3);
    expect(read().at(-1)).toMatchObject({ is_error: false });
    const { session_id } = JSON.parse(readFileSync(sessionFile, 'utf8')) as ClaudeSession;
    expect(session_id).toBeTruthy();
  });
}

it('kill -9 of the runner while the call is deferred: answered meanwhile, the same call of the same session goes on', () =>
  killedRunner(firstThen(bash('touch survived', CALL_ID)), 0, ({ sessionFile }) => {
    return existsSync(sessionFile) && readFileSync(sessionFile, 'utf8').includes('"deferred":');
  }));

it('kill -9 of the runner while Claude Code is held: it dies too, and the same call made again needs no second question', () =>
  killedRunner(
    ({ results, heard }) => {
      if (heard.includes(RESTARTED)) return [bash('touch survived')];
      return results.length ? undefined : [bash('touch survived')];
    },
    3_600_000,
    ({ env }) => processesOf(env.HOME).length > 0,
  ));

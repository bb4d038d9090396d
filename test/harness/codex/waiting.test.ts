import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, it } from 'vitest';
import { type CodexRun, type CodexSession, runCodex, sessionAfter } from '../../../runner/codex/run-codex.ts';
import { eventually } from '../../support/eventually.ts';
import { processesOf } from '../claude/processes.ts';
import { newThread, person } from '../thread-on-stack.ts';
import { addFile, exec, finish, firstThen, inCodexWorkshop, type Script, type Workshop } from './codex-workshop.ts';
import type { Say } from './fake-openai.ts';
import { runnerOnStack } from './runner-on-stack.ts';
import type { RunnerOrder } from './runner-process.ts';
import { AWAIT_SUBAGENT, SUBAGENTS, subagent } from './scripts.ts';

/** The real Codex waits for longer than its runner, or its machine, lasts. */
const addresses = inject('addresses');
const RESTARTED = 'The agent runner was restarted';

function startRunner(order: RunnerOrder): ChildProcess {
  const program = path.join(import.meta.dirname, 'runner-process.ts');
  return spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['ignore', 'inherit', 'inherit'] });
}

type Killed = Workshop & { someone: ReturnType<typeof person>; order: RunnerOrder; again: () => Promise<void> };

/** A runner is killed while its question is open; `again` is another one in its place, until its turn has ended. */
async function killedRunner(script: Script, act: (scene: Killed) => Promise<void>, config = ''): Promise<void> {
  const place = newThread();
  const someone = person(addresses, place);
  const inWorkshop = async (workshop: Workshop) => {
    const { cwd, codex, socket, thread } = workshop;
    const sessionFile = path.join(path.dirname(cwd), 'session.json');
    const order = { addresses, place, codex, socket, thread, sessionFile };
    const first = startRunner(order);
    await someone.question();
    await eventually(() => existsSync(sessionFile), 'the kept session');
    const gone = once(first, 'exit');
    first.kill('SIGKILL');
    await gone;
    expect(processesOf(codex.env.HOME)).not.toEqual([]);
    const { thread_id } = JSON.parse(readFileSync(sessionFile, 'utf8')) as CodexSession;
    const again = async () => {
      expect(await once(startRunner(order), 'exit')).toEqual([0, null]);
      expect(JSON.parse(readFileSync(sessionFile, 'utf8'))).toEqual({ thread_id, busy: false });
      expect(processesOf(codex.env.HOME)).toEqual([]);
    };
    await act({ ...workshop, someone, order, again });
  };
  await inCodexWorkshop(script, inWorkshop, config);
}

it.each<[string, Say]>([
  ['a command', exec('touch survived')],
  ['a change of files', addFile('survived', 'a line')],
])(
  'kill -9 of the runner while %s waits, answered meanwhile: the same turn goes on, and nothing is asked twice',
  (_what, say) =>
    killedRunner(firstThen(say), async ({ someone, made, model, heard, again }) => {
      await someone.reply('yes');
      expect(await someone.audit()).toBe('✓ Answered: Approve');
      expect(made('survived')).toBe(false);
      await again();
      expect(made('survived')).toBe(true);
      expect(model.turns).toHaveLength(2);
      expect(heard()).toEqual([]);
      expect(await someone.items()).toHaveLength(3);
    }),
);

it('kill -9 of the runner, answered after the restart: the same question is waited for', () =>
  killedRunner(firstThen(exec('touch survived')), async ({ someone, made, heard, again }) => {
    const end = again();
    await someone.reply('leave it');
    await end;
    expect(made('survived')).toBe(false);
    expect(heard()).toEqual([expect.stringContaining('The user denied this request: leave it')]);
    expect(await someone.items()).toHaveLength(3);
  }));

it('two identical commands at once, over a kill -9 of the runner: an answer to the one is none to the other', () => {
  const twice = 'echo x >> twice';
  return killedRunner(firstThen(exec(twice), exec(twice)), async ({ cwd, someone, again }) => {
    await someone.reply('yes');
    const end = again();
    await someone.question(1);
    await someone.reply('once is enough');
    await end;
    expect(readFileSync(path.join(cwd, 'twice'), 'utf8')).toBe('x\n');
  });
});

it("kill -9 of the runner while a subagent's command waits: its answer reaches the subagent", () =>
  killedRunner(
    subagent('touch survived', AWAIT_SUBAGENT),
    async ({ someone, made, again }) => {
      await someone.reply('yes');
      await again();
      expect(made('survived')).toBe(true);
      expect(await someone.items()).toHaveLength(3);
    },
    SUBAGENTS,
  ));

const callAgain =
  (command: string): Script =>
  ({ history, heard }) => {
    const isTold = heard.some((text) => text.includes(RESTARTED));
    return isTold || !history.includes('_call"') ? [exec(command)] : undefined;
  };

const MADE = 'echo x >> made';
/** Once more when it was made. */
const thrice: Script = (turn) => {
  const isMade = turn.results.some((result) => result.includes('exited with code 0'));
  return isMade ? [exec(MADE)] : callAgain(MADE)(turn);
};

it.each([
  ['killed', 'SIGKILL'],
  // It then waits for its turn to end, and takes nobody up.
  ['asked to end', 'SIGTERM'],
] as const)(
  'runner and Codex are both %s: the same call made again needs no second question, a third one does',
  (_what, signal) =>
    killedRunner(thrice, async ({ cwd, codex, someone, model, again }) => {
      for (const pid of processesOf(codex.env.HOME)) process.kill(pid, signal);
      await someone.reply('yes');
      expect(await someone.audit()).toBe('✓ Answered: Approve');
      const end = again();
      await someone.question(1);
      expect(readFileSync(path.join(cwd, 'made'), 'utf8')).toBe('x\n');
      await someone.reply('no');
      await end;
      expect(readFileSync(path.join(cwd, 'made'), 'utf8')).toBe('x\n');
      const told = model.turns.find(({ heard }) => heard.some((text) => text.includes(RESTARTED)));
      expect(told?.results).toEqual(['aborted']);
    }),
);

type Scene = Workshop & { someone: ReturnType<typeof person>; run: CodexRun };

const scene = (script: Script, act: (scene: Scene) => Promise<void>, config = '') =>
  inCodexWorkshop(
    script,
    async (workshop) => {
      const { codex, socket, thread } = workshop;
      const place = newThread();
      const runner = await runnerOnStack(addresses, `${socket}.inbox`);
      const run: CodexRun = { ask: runner.run(place).ask, codex, socket, thread, prompt: 'Do it.' };
      try {
        await act({ ...workshop, run, someone: person(addresses, place) });
      } finally {
        await runner.stop();
      }
    },
    config,
  );

/** Lets the run go on in the background, and tells what is known of its session. */
function watched(run: CodexRun) {
  const seen = { session: run.session, methods: [] as string[] };
  const end = (async () => {
    const running = runCodex(run);
    for (;;) {
      const next = await running.next();
      if (next.done) return next.value;
      seen.methods.push(next.value.method);
      seen.session = sessionAfter(seen.session, next.value);
    }
  })();
  return { seen, end };
}

it('parked: Codex goes on without a runner, and the next one hears how its turn ended', () =>
  scene(firstThen(exec('sleep 2; touch later')), async ({ run, codex, someone, made }) => {
    const leaving = new AbortController();
    const { end, seen } = watched({ ...run, park: leaving.signal });
    await someone.question();
    await someone.reply('yes');
    await eventually(() => seen.methods.includes('serverRequest/resolved'), 'the reply to Codex');
    leaving.abort();
    const { state, session } = await end;
    expect([state, session?.busy]).toEqual(['parked', true]);
    await eventually(() => made('later'), 'the work of Codex alone');
    const { prompt: _told, ...goingOn } = run;
    const next = watched({ ...goingOn, ...(session && { session }) });
    expect(await next.end).toMatchObject({ state: 'ended', session: { busy: false } });
    expect(processesOf(codex.env.HOME)).toEqual([]);
    expect(await someone.items()).toHaveLength(3);
  }));

it("parked, and the turn ends meanwhile: a subagent's question, which nobody needs any more, is cancelled", () =>
  scene(
    subagent('touch never', exec('sleep 2; touch ended')),
    async ({ run, someone, made, model }) => {
      const decide: CodexRun['decide'] = ({ command }) => (command?.includes('never') ? 'ask' : 'allow');
      const leaving = new AbortController();
      const { end, seen } = watched({ ...run, decide, park: leaving.signal });
      await someone.question();
      await eventually(() => seen.methods.includes('serverRequest/resolved'), "the parent's command");
      leaving.abort();
      const { session } = await end;
      // The parent's task, its subagent, its command's result, and the subagent's task.
      await eventually(() => model.turns.length === 4, "the parent's last words");
      expect(made('ended')).toBe(true);
      const { prompt: _told, ...goingOn } = run;
      expect(await finish(runCodex({ ...goingOn, decide, ...(session && { session }) }))).toMatchObject({
        state: 'ended',
      });
      expect(await someone.audit()).toContain('the run ended');
      expect(made('never')).toBe(false);
    },
    SUBAGENTS,
  ));

it('parked while the question is open: it stays open, and Codex is not replied to', () =>
  scene(firstThen(exec('touch later')), async ({ run, someone, made, heard, model }) => {
    const leaving = new AbortController();
    const { end } = watched({ ...run, park: leaving.signal });
    await someone.question();
    leaving.abort();
    const { state, session } = await end;
    expect(state).toBe('parked');
    expect(model.turns).toHaveLength(1);
    const { prompt: _told, ...goingOn } = run;
    const next = finish(runCodex({ ...goingOn, ...(session && { session }) }));
    await someone.reply('yes');
    await next;
    expect(made('later')).toBe(true);
    expect(heard()).toEqual([]);
    expect(await someone.items()).toHaveLength(3);
  }));

it('a turn whose session was not kept is ended before another one begins in its place', () =>
  scene(firstThen(exec('touch later')), async ({ run, someone, made, model }) => {
    const leaving = new AbortController();
    const { end } = watched({ ...run, park: leaving.signal });
    await someone.question();
    leaving.abort();
    await end;
    const next = finish(runCodex({ ...run, prompt: 'Do that.' }));
    await someone.question(1);
    await someone.reply('yes');
    await next;
    expect(made('later')).toBe(true);
    expect(model.turns).toHaveLength(3);
  }));

it('Codex dies in the middle of a turn: the run fails, and its question stays open for the next one', () =>
  scene(callAgain('touch again'), async ({ run, codex, someone, model }) => {
    const { end, seen } = watched(run);
    end.catch(() => {});
    await someone.question();
    await eventually(() => seen.session?.busy, 'the session');
    for (const pid of processesOf(codex.env.HOME)) process.kill(pid, 'SIGKILL');
    await expect(end).rejects.toThrow('Codex was lost');
    expect(await someone.items()).toHaveLength(1);
    expect(model.turns).toHaveLength(1);
  }));

it('a Codex that cannot start is told with what it said', () =>
  scene(firstThen(), async ({ run, codex }) => {
    const broken = { ...codex, args: ['--no-such-option'] };
    await expect(finish(runCodex({ ...run, codex: broken }))).rejects.toThrow(/did not start: (.|\n)*--no-such-option/);
  }));

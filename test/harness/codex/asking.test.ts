import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, it } from 'vitest';
import { type CodexRun, runCodex } from '../../../runner/codex/run-codex.ts';
import { interruptedCalls } from '../../../runner/interrupted-calls.ts';
import type { Run } from '../../../runner/run.ts';
import { eventually } from '../../support/eventually.ts';
import { processesOf } from '../claude/processes.ts';
import { newThread, person } from '../thread-on-stack.ts';
import { addFile, exec, finish, firstThen, inCodexWorkshop, type Script, type Workshop } from './codex-workshop.ts';
import { runnerOnStack } from './runner-on-stack.ts';
import { MCP, makeFile, PERMISSIONS, permissions, QUESTIONS, questions } from './scripts.ts';

/** The real Codex, the whole local stack, and a scripted model. */
const addresses = inject('addresses');
type Scene = Workshop & {
  someone: ReturnType<typeof person>;
  run: CodexRun;
  /** Whose `ask` the run has. */
  asking: Run;
  /** A newer run on the same thread. */
  newRun: () => Run;
};

const scene = (script: Script, act: (scene: Scene) => Promise<void>, config = '') =>
  inCodexWorkshop(
    script,
    async (workshop) => {
      const { codex, socket, thread } = workshop;
      const place = newThread();
      const runner = await runnerOnStack(addresses, `${socket}.inbox`);
      const asking = runner.run(place);
      const run: CodexRun = { ask: asking.ask, codex, socket, thread, prompt: 'Do it.' };
      const newRun = () => runner.run(place);
      try {
        await act({ ...workshop, run, asking, newRun, someone: person(addresses, place) });
      } finally {
        await runner.stop();
      }
    },
    config,
  );

it('approve: the command runs', () =>
  scene(firstThen(exec('touch approved')), async ({ run, cwd, someone, made, results, heard }) => {
    const end = finish(runCodex(run));
    expect((await someone.question()).text).toBe(
      `Codex wants to run a command\n\n    /bin/bash -lc 'touch approved'\n\nIn: ${cwd}\n  1. Approve\n  2. Deny`,
    );
    expect(made('approved')).toBe(false);
    await someone.reply('yes');
    expect(await end).toMatchObject({ state: 'ended', session: { busy: false } });
    expect(made('approved')).toBe(true);
    expect(results()).toMatchObject([expect.stringContaining('exited with code 0')]);
    expect(heard()).toEqual([]);
    expect(await someone.audit()).toBe('✓ Answered: Approve');
  }));

it('deny with words: the command does not run, and the model reads the words', () =>
  scene(firstThen(exec('touch denied')), async ({ run, someone, made, results, heard }) => {
    const end = finish(runCodex(run));
    await someone.question();
    await someone.reply('not on a Friday');
    await end;
    expect(made('denied')).toBe(false);
    expect(results()).toEqual([expect.stringContaining('rejected by user')]);
    expect(heard()).toEqual([
      "The user denied this request: not on a Friday\n\nThis is about: /bin/bash -lc 'touch denied'",
    ]);
  }));

it('a bare denial puts no more into the turn than that', () =>
  scene(firstThen(exec('touch denied')), async ({ run, someone, made, heard }) => {
    const end = finish(runCodex(run));
    await someone.question();
    await someone.reply('deny');
    await end;
    expect(made('denied')).toBe(false);
    expect(heard()).toEqual(["The user denied this request.\n\nThis is about: /bin/bash -lc 'touch denied'"]);
  }));

it('a change of files shows its diff, and is made on an approval alone', () => {
  const script: Script = ({ results }) => {
    if (results.length === 0) return [addFile('denied.md', 'a line')];
    return results.some((result) => result.includes('rejected')) ? [addFile('approved.md', 'another')] : undefined;
  };
  return scene(script, async ({ run, cwd, someone, made, results, heard }) => {
    const end = finish(runCodex(run));
    expect((await someone.question(0)).text).toBe(
      `Codex wants to change files\n\nadd ${cwd}/denied.md\n\n    a line\n    \n  1. Approve\n  2. Deny`,
    );
    await someone.reply('keep it in the wiki');
    expect((await someone.question(1)).text).toContain('    another\n');
    expect(made('approved.md')).toBe(false);
    await someone.reply('yes');
    await end;
    expect(made('denied.md')).toBe(false);
    expect(readFileSync(path.join(cwd, 'approved.md'), 'utf8')).toBe('another\n');
    expect(results()[0]).toContain('rejected by user');
    expect(heard()).toEqual([expect.stringContaining('The user denied this request: keep it in the wiki')]);
  });
});

it.each([
  ['yes', { permissions: { network: { enabled: true }, file_system: { write: ['/var/reports'] } }, scope: 'turn' }],
  ['no', { permissions: { network: null, file_system: null }, scope: 'turn' }],
])(
  'a request for permissions, answered with %s, gets all of what was shown until the turn ends, or nothing',
  (reply, told) =>
    scene(
      permissions('/var/reports'),
      async ({ run, cwd, someone, results }) => {
        const thread = { cwd, approvalPolicy: 'on-request', sandbox: 'workspace-write' };
        const end = finish(runCodex({ ...run, thread }));
        expect((await someone.question()).text).toBe(
          `Codex asks for permissions until the end of its turn\n\n    use the network\n    write /var/reports\n\nIn: ${cwd}\n\nReason: to write the report\n  1. Approve\n  2. Deny`,
        );
        await someone.reply(reply);
        await end;
        expect(results().map((text) => JSON.parse(text))).toEqual([told]);
      },
      PERMISSIONS,
    ),
);

it.each([
  ['yes', true],
  ['not here', false],
])('the tool of an MCP server, answered with %s: it was called = %s', (reply, isCalled) => {
  let cwd = '';
  const script: Script = (turn) => makeFile(path.join(cwd, 'by-tool'))(turn);
  return scene(
    script,
    async (scene) => {
      cwd = scene.cwd;
      const end = finish(runCodex(scene.run));
      const { text } = await scene.someone.question();
      expect(text).toContain('make_file');
      expect(text).toContain(`    file: ${cwd}/by-tool`);
      await scene.someone.reply(reply);
      await end;
      expect(scene.made('by-tool')).toBe(isCalled);
      expect(scene.heard()).toEqual(
        isCalled ? [] : [expect.stringContaining('The user denied this request: not here')],
      );
    },
    MCP,
  );
});

it.each([
  ['a command', () => exec(`touch huge # ${'x'.repeat(70_000)}`)],
  ['a change of files', () => addFile('huge', 'x'.repeat(70_000))],
])('the prompt for %s cannot be posted: the model reads that nobody was asked, and no sign of a denial', (_what, say) =>
  scene(firstThen(say()), async ({ run, someone, made, results, heard }) => {
    await finish(runCodex(run));
    expect(made('huge')).toBe(false);
    expect(await someone.items()).toEqual([]);
    expect(heard()).toEqual([expect.stringMatching(/^Approval unavailable: .*\. No human saw or refused it\.\n\n/)]);
    expect(results()).toEqual([expect.stringContaining('approval request failed')]);
    expect([...results(), ...heard()].join().replaceAll(/x{1000,}/g, '')).not.toMatch(
      /den(y|ied)|reject(?!ed\(\\*"approval)|user/i,
    );
  }),
);

it('two approvals at once: one after the other is asked, and each gets its own answer', () =>
  scene(firstThen(exec('touch left'), exec('touch right')), async ({ run, someone, made, heard }) => {
    const end = finish(runCodex(run));
    const isLeft = (await someone.question(0)).text.includes('touch left');
    await someone.reply('yes');
    const { text } = await someone.question(1);
    expect(text).toContain(isLeft ? 'touch right' : 'touch left');
    await someone.reply('no, leave it');
    await end;
    expect([made('left'), made('right')]).toEqual([isLeft, !isLeft]);
    expect(heard()).toEqual([expect.stringContaining(`touch ${isLeft ? 'right' : 'left'}`)]);
  }));

it('superseded by a new run: the model reads that no decision was made', () =>
  scene(firstThen(exec('touch superseded')), async ({ run, newRun, someone, made, results, heard }) => {
    const end = finish(runCodex(run));
    await someone.question();
    const leaving = new AbortController();
    const newer = newRun().ask(
      { request_id: 'another', kind: 'text', questions: [{ question: 'And now?' }] },
      leaving.signal,
    );
    await end;
    expect(await someone.audit()).toBe('✗ Cancelled: superseded by a new question');
    expect(made('superseded')).toBe(false);
    expect(results()).toEqual([expect.stringContaining('approval request failed')]);
    expect(heard()).toEqual([
      expect.stringMatching(/^Approval cancelled: superseded by a new question\. No decision was made\.\n\n/),
    ]);
    leaving.abort();
    expect(await newer).toMatchObject({ state: 'cancelled', reason: 'the run ended' });
  }));

it('questions of the model: each gets its own answer, in the words of the person', () =>
  scene(
    questions('Where from?'),
    async ({ run, someone, results, heard }) => {
      const end = finish(runCodex(run));
      expect((await someone.question()).text).toBe(
        'Where from?\n  1. CSV import — people upload a file\n  2. API — the billing service\n\nKeep a copy?\n  1. CSV import\n  2. API',
      );
      await someone.reply('CSV import · only on Mondays', [
        { question: 'Where from?', answer: ['CSV import'] },
        { question: 'Keep a copy?', answer: ['only on Mondays'] },
      ]);
      await end;
      expect(results().map((text) => JSON.parse(text))).toEqual([
        { answers: { source: { answers: ['CSV import'] }, copy: { answers: ['only on Mondays'] } } },
      ]);
      expect(heard()).toEqual([]);
    },
    QUESTIONS,
  ));

it('questions that cannot be posted: the model reads that nobody was asked', () =>
  scene(
    questions('?'.repeat(70_000)),
    async ({ run, someone, results, heard }) => {
      await finish(runCodex(run));
      expect(await someone.items()).toEqual([]);
      expect(heard()).toEqual([expect.stringMatching(/^Approval unavailable: .*\. No human saw or refused it\.\n\n/)]);
      expect(results().map((text) => JSON.parse(text))).toEqual([{ answers: {} }]);
    },
    QUESTIONS,
  ));

it('an approval of a turn that has ended is none for the next one, even where nobody acknowledged it', () => {
  const script: Script = ({ results, heard }) =>
    results.length === 0 && heard.length > 0 ? [exec('echo x >> made')] : undefined;
  return scene(script, async ({ run, asking, cwd, someone }) => {
    const ask: CodexRun['ask'] = async (...call) => ({ ...(await asking.ask(...call)), acknowledge: undefined });
    const first = finish(runCodex({ ...run, ask }));
    await someone.question();
    await someone.reply('yes');
    const { session } = await first;
    if (!session) throw new Error('no session');
    const interrupted = interruptedCalls(await asking.attach(), 'codex', session.thread_id);
    expect(interrupted).toHaveLength(1);
    const second = finish(runCodex({ ...run, session, interrupted, prompt: 'Again.' }));
    await someone.question(1);
    await someone.reply('no');
    await second;
    expect(readFileSync(path.join(cwd, 'made'), 'utf8')).toBe('x\n');
  });
});

it('a policy allows without a person, and denies in words that blame none', () =>
  scene(firstThen(exec('touch allowed'), exec('echo denied > denied')), async ({ run, someone, made, heard }) => {
    const decide: CodexRun['decide'] = ({ command }) => (command?.includes('touch') ? 'allow' : 'deny');
    await finish(runCodex({ ...run, decide }));
    expect([made('allowed'), made('denied')]).toEqual([true, false]);
    expect(await someone.items()).toEqual([]);
    expect(heard()).toEqual([
      expect.stringContaining('The permission policy of this agent denies this call. No person was asked.'),
    ]);
  }));

it('a run that is stopped cancels its prompt and leaves no Codex behind', () =>
  scene(firstThen(exec('touch stopped')), async ({ run, codex, someone, made, model }) => {
    const stopping = new AbortController();
    const end = finish(runCodex({ ...run, signal: stopping.signal }));
    await someone.question();
    stopping.abort();
    expect(await end).toMatchObject({ state: 'stopped', session: { busy: true } });
    expect(await someone.audit()).toContain('the run ended');
    await eventually(() => processesOf(codex.env.HOME).length === 0, 'the end of Codex');
    expect(made('stopped')).toBe(false);
    expect(model.turns).toHaveLength(1);
  }));

it('a second turn goes on with the same thread', () =>
  scene(
    ({ heard }) => (heard.includes('Do it.') ? [exec('touch one')] : undefined),
    async ({ run, someone, model }) => {
      const first = finish(runCodex(run));
      await someone.question();
      await someone.reply('yes');
      const { session } = await first;
      const end = await finish(runCodex({ ...run, prompt: 'And thanks.', ...(session && { session }) }));
      expect(end).toEqual({ state: 'ended', session });
      expect(model.turns.at(-1)?.heard).toContain('And thanks.');
      expect(model.turns.at(-1)?.history).toContain('touch one');
    },
  ));

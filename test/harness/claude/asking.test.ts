import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { expect, inject, it } from 'vitest';
import { ASK_USER } from '../../../runner/claude/ask-user-tool.ts';
import { type ClaudeRun, runClaude } from '../../../runner/claude/run-claude.ts';
import { askOnStack, newThread, person } from '../thread-on-stack.ts';
import { bash, finish, inWorkshop, type Script, type Workshop } from './in-workshop.ts';
import { isClaude, processesOf } from './processes.ts';

/** The real Claude Code, the whole local stack, and a scripted model. */
const addresses = inject('addresses');
type Scene = Workshop & { someone: ReturnType<typeof person>; run: ClaudeRun; thread: ReturnType<typeof newThread> };

async function scene(script: Script, act: (scene: Scene) => Promise<void>): Promise<void> {
  const thread = newThread();
  const { ask, stop } = askOnStack(addresses, thread);
  try {
    await inWorkshop(script, async (workshop) => {
      const { cwd, env } = workshop;
      const run: ClaudeRun = { sdk, ask, prompt: 'TASK: go', options: { cwd, env, settingSources: [] } };
      await act({ ...workshop, run, thread, someone: person(addresses, thread) });
    });
  } finally {
    await stop();
  }
}

const firstThen =
  (...blocks: ReturnType<typeof bash>[]): Script =>
  ({ results }) =>
    results.length ? undefined : blocks;

it('approve: the command runs', () =>
  scene(firstThen(bash('touch approved')), async ({ run, cwd, someone, made, read }) => {
    const end = finish(runClaude(run));
    expect((await someone.question()).text).toBe(
      `Claude wants to use Bash\n\n    touch approved\n\nmake a file\n\nPath: ${cwd}/approved\n  1. Approve\n  2. Deny`,
    );
    expect(made('approved')).toBe(false);
    await someone.reply('yes');
    expect(await end).toMatchObject({ state: 'ended' });
    expect(made('approved')).toBe(true);
    expect(read()).toMatchObject([{ is_error: false }]);
    expect(await someone.audit()).toBe('✓ Answered: Approve');
  }));

it('deny with words: the command does not run, and the model reads the words', () =>
  scene(firstThen(bash('touch denied')), async ({ run, someone, made, read }) => {
    const end = finish(runClaude(run));
    await someone.question();
    await someone.reply('not on a Friday');
    await end;
    expect(made('denied')).toBe(false);
    expect(read()).toMatchObject([{ is_error: true, text: 'The user denied this request: not on a Friday' }]);
  }));

const QUESTIONS = [
  {
    question: 'Where should the data come from?',
    options: [{ label: 'CSV import', description: 'upload' }, { label: 'API' }],
  },
  {
    question: 'Which sections?',
    multiSelect: true,
    options: [{ label: 'KPI cards' }, { label: 'Table' }, { label: 'Chart' }],
  },
  { question: 'Any preference for visual style?' },
];

it('ask_user with three mixed questions: the answers come back as the model asked, without an approval first', () =>
  scene(
    firstThen({ type: 'tool_use', name: ASK_USER, input: { questions: QUESTIONS } }),
    async ({ run, someone, read, model }) => {
      const end = finish(runClaude(run));
      expect((await someone.question()).prompt.questions).toEqual(QUESTIONS);
      const answers = [['CSV import'], ['KPI cards', 'Table'], ['dark theme']].map((answer, n) => ({
        question: QUESTIONS[n]?.question ?? '',
        answer,
      }));
      await someone.reply('see the answers', answers);
      await end;
      expect(model.turns[0]?.tools).toContain(ASK_USER);
      expect(read().map(({ text }) => JSON.parse(text))).toEqual([{ answers }]);
    },
  ));

it("AskUserQuestion, the harness's own tool: labels and the person's own words reach the model", () => {
  const one = { header: 'Where', multiSelect: false, options: labelled('Ireland', 'Virginia') };
  const several = { header: 'What', multiSelect: true, options: labelled('table', 'queue', 'bucket') };
  const questions = [
    { question: 'Which region?', ...one },
    { question: 'Which parts?', ...several },
  ];
  return scene(
    firstThen({ type: 'tool_use', name: 'AskUserQuestion', input: { questions } }),
    async ({ run, someone, read }) => {
      const end = finish(runClaude(run));
      expect((await someone.question()).prompt.questions).toEqual(questions);
      await someone.reply('', [
        { question: 'Which parts?', answer: ['table', 'queue'] },
        { question: 'Which region?', answer: ['the nearest one'] },
      ]);
      await end;
      expect(read()[0]).toMatchObject({ is_error: false });
      expect(read()[0]?.text).toContain('"Which region?"="the nearest one"');
      expect(read()[0]?.text).toContain('"Which parts?"="table, queue"');
    },
  );
});
const labelled = (...labels: string[]) => labels.map((label) => ({ label, description: `the ${label}` }));

it('the prompt cannot be posted: the model reads that nobody was asked, and no sign of a denial', () =>
  scene(firstThen(bash(`touch huge # ${'x'.repeat(70_000)}`)), async ({ run, someone, made, read }) => {
    await finish(runClaude(run));
    expect(made('huge')).toBe(false);
    expect(await someone.items()).toEqual([]);
    expect(read()[0]?.text).toMatch(/^Approval unavailable: .*\. No human saw or refused it\.$/);
    expect(read()[0]?.text).not.toMatch(/den(y|ied)|reject|user/i);
  }));

it('two subagents want an approval at once: one after the other is asked, and each gets its own answer', () => {
  const script: Script = ({ task, results }) => {
    if (results.length) return undefined;
    if (task !== 'go') return [bash(`touch ${task}`)];
    return ['left', 'right'].map((name) => ({
      type: 'tool_use',
      name: 'Agent',
      input: { description: name, prompt: `TASK: ${name}`, subagent_type: 'general-purpose', run_in_background: false },
    }));
  };
  return scene(script, async ({ run, someone, made }) => {
    const end = finish(runClaude({ ...run, decide: ({ tool }) => (tool === 'Bash' ? 'ask' : 'allow'), holdMs: 0 }));
    const names = ['left', 'right'];
    const isLeft = (await someone.question(0)).text.includes('touch left');
    await someone.reply('yes');
    await someone.question(1);
    await someone.reply('no, leave it');
    await end;
    expect(names.map(made)).toEqual([isLeft, !isLeft]);
  });
});

it('superseded by another run: the model reads that no decision was made', () =>
  scene(firstThen(bash('touch superseded')), async ({ run, someone, thread, made, read }) => {
    const end = finish(runClaude(run));
    await someone.question();
    const other = askOnStack(addresses, thread);
    try {
      await other.api.raise(thread, { request_id: 'another', kind: 'text', questions: [{ question: 'And now?' }] });
    } finally {
      await other.stop();
    }
    await end;
    expect(made('superseded')).toBe(false);
    expect(read()[0]?.text).toBe('Approval cancelled: superseded by a new question. No decision was made.');
  }));

it.each([
  ['everything', { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }],
  ['this tool', { allowedTools: ['Bash'] }],
])('a policy of ours that asks or denies holds although the harness was told to allow %s', (_what, options) =>
  scene(firstThen(bash('touch asked'), bash('echo denied > denied')), async ({ run, someone, made, read }) => {
    const decide: ClaudeRun['decide'] = ({ input }) => (String(input.command).startsWith('touch') ? 'ask' : 'deny');
    const env = { ...(run.options.env as Record<string, string>), IS_SANDBOX: '1' };
    const end = finish(runClaude({ ...run, decide, options: { ...run.options, ...options, env } }));
    await someone.question();
    await someone.reply('no');
    await end;
    expect([made('asked'), made('denied')]).toEqual([false, false]);
    expect(read().map(({ text }) => text)).toEqual([
      'The user denied this request: no',
      'The permission policy of this agent denies this call. No person was asked.',
    ]);
  }),
);

it('the run is ended while a question is open: its prompt is cancelled, and the model is not called again', () =>
  scene(firstThen(bash('touch ended')), async ({ run, someone, made, model }) => {
    const ending = new AbortController();
    const end = finish(runClaude({ ...run, signal: ending.signal }));
    await someone.question();
    ending.abort();
    expect(await end).toMatchObject({ state: 'stopped', session: { busy: true } });
    expect(await someone.audit()).toBe('✗ Cancelled: the run ended');
    expect(made('ended')).toBe(false);
    expect(model.turns).toHaveLength(1);
  }));

it.each([
  ['its own permission callback', {}],
  ['our hook', { decide: () => 'ask' as const }],
])(
  'Claude Code dies while a question is open in %s: its prompt is cancelled, and the runner is told',
  (_where, policy) =>
    scene(firstThen(bash('touch died')), async ({ run, someone, env }) => {
      const end = finish(runClaude({ ...run, ...policy }));
      const told = expect(end).rejects.toThrow(/exit|terminated|SIGKILL/i);
      await someone.question();
      for (const pid of processesOf(env.HOME)) if (isClaude(pid)) process.kill(pid, 'SIGKILL');
      await told;
      expect(await someone.audit()).toBe('✗ Cancelled: the run ended');
    }),
);

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Ask, Asking, Outcome } from '../../../runner/ask.ts';
import type { AgentOptions, CallDetails, HookOutput, McpTool, PreToolUse } from '../../../runner/claude/agent-sdk.ts';
import { type AdapterOptions, ClaudeAdapter } from '../../../runner/claude/claude-adapter.ts';
import { fingerprint } from '../../../runner/claude/fingerprint.ts';
import { answered } from '../outcomes.ts';
import { callbackOf, hookOf, toolCallOf } from './frames.ts';

const APPROVED = answered([['Approve']], 'yes');
const DENIED = answered([['Deny']], 'no');
type Raised = { asking: Asking; signal: AbortSignal | undefined; settle: (outcome: Outcome) => void };

/** An adapter as the harness meets it, with the recorded inputs of the real one; a person answers by `settle`. */
function harnessed(options: Partial<AdapterOptions> = {}, given: AgentOptions = {}) {
  const raised: Raised[] = [];
  const ask: Ask = (asking, signal, park) =>
    new Promise((settle) => {
      raised.push({ asking, signal, settle });
      signal?.addEventListener('abort', () => settle({ state: 'cancelled', reason: 'the run ended' }));
      park?.addEventListener('abort', () => settle({ state: 'parked' }));
      if (park?.aborted) settle({ state: 'parked' });
    });
  let tools: McpTool[] = [];
  const sdk = {
    createSdkMcpServer: (server: { tools?: McpTool[] }) => {
      tools = server.tools ?? [];
      return server;
    },
  };
  const adapter = new ClaudeAdapter({ sdk, ask, ...options });
  const process = () => {
    const all = adapter.forProcess(given);
    return {
      all,
      hook: (input: PreToolUse): Promise<HookOutput> =>
        all.hooks?.PreToolUse?.at(-1)?.hooks[0]?.(input as never, undefined, {
          signal: new AbortController().signal,
        }) ?? Promise.reject(new Error('no hook')),
      permission: ({ tool, input, details }: ReturnType<typeof callbackOf>) =>
        all.canUseTool?.(tool, input, details) ?? Promise.reject(new Error('no callback')),
      askUser: ({ args, extra }: { args: Record<string, unknown>; extra: object }) =>
        tools[0]?.handler(args, extra) ?? Promise.reject(new Error('no tool')),
    };
  };
  const settle = (n: number, outcome: Outcome) => raised[n]?.settle(outcome);
  return { adapter, process, raised, settle };
}
const guarded = { decide: () => 'ask' as const };
const decided = (output: HookOutput) => output.hookSpecificOutput?.permissionDecision;
const textOf = (result: { content: { text: string }[] } | undefined) => result?.content[0]?.text;

afterEach(() => void vi.useRealTimers());

describe('the permission callback', () => {
  it('asks for an approval under the name of the tool call, and allows this once what is approved', async () => {
    const { process, raised, settle } = harnessed();
    const call = callbackOf('bash');
    const reply = process().permission(call);
    expect(raised[0]?.asking).toEqual({
      request_id: call.details.toolUseID,
      kind: 'approval',
      questions: [
        { question: expect.stringContaining('touch made'), options: [{ label: 'Approve' }, { label: 'Deny' }] },
      ],
      session: { harness: 'claude-code', call: fingerprint('Bash', call.input) },
    });
    settle(0, APPROVED);
    expect(await reply).toEqual({ behavior: 'allow', updatedInput: call.input });
  });

  it.each<[string, Outcome, string]>([
    ['a denial', answered([['Deny']], 'not now'), 'The user denied this request: not now'],
    ['a cancel', { state: 'cancelled', reason: 'why' }, 'Approval cancelled: why. No decision was made.'],
    ['no prompt', { state: 'unavailable', message: 'down' }, 'Approval unavailable: down. No human saw or refused it.'],
  ])('tells %s in its own words and interrupts nothing', async (_what, outcome, message) => {
    const { process, settle } = harnessed();
    const reply = process().permission(callbackOf('write'));
    settle(0, outcome);
    expect(await reply).toEqual({ behavior: 'deny', message });
  });

  it('takes an ask that breaks its word for unavailable', async () => {
    const ask = () => Promise.reject(new Error('broken'));
    const reply = harnessed({ ask }).process().permission(callbackOf('bash'));
    expect(await reply).toEqual({
      behavior: 'deny',
      message: 'Approval unavailable: broken. No human saw or refused it.',
    });
  });

  it('answers AskUserQuestion with its own input and the answers', async () => {
    const { process, raised, settle } = harnessed();
    const call = callbackOf('ask_user_question');
    const reply = process().permission(call);
    expect(raised[0]?.asking).toMatchObject({ kind: 'ask_user_question', questions: call.input.questions });
    settle(0, answered([['Ireland', 'Virginia']]));
    const answers = { 'Which region?': 'Ireland, Virginia' };
    expect(await reply).toEqual({ behavior: 'allow', updatedInput: { ...call.input, answers } });
  });

  it('cancels the prompt of a call that the harness gives up, and no other', async () => {
    const { process, raised } = harnessed();
    const given = new AbortController();
    const call = callbackOf('bash');
    const claude = process();
    const reply = claude.permission({ ...call, details: { ...call.details, signal: given.signal } });
    void claude.permission(callbackOf('write'));
    given.abort();
    expect(raised.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    expect(await reply).toMatchObject({
      message: 'Approval cancelled: the run ended. No decision was made.',
    });
  });

  it('does not leave a prompt open for a call that was given up before', async () => {
    const { process, raised } = harnessed();
    const call = callbackOf('bash');
    await process().permission({ ...call, details: { ...call.details, signal: AbortSignal.abort() } });
    expect(raised.map(({ signal }) => signal?.aborted)).toEqual([true]);
  });

  it('asks once for a call that the harness brings twice', async () => {
    const { process, raised, settle } = harnessed();
    const claude = process();
    const replies = [claude.permission(callbackOf('bash')), claude.permission(callbackOf('bash'))];
    expect(raised).toHaveLength(1);
    settle(0, APPROVED);
    expect(await Promise.all(replies)).toMatchObject([{ behavior: 'allow' }, { behavior: 'allow' }]);
  });

  it('says nothing of a call whose prompt stays open while the runner goes away, and does not cancel it', async () => {
    const park = new AbortController();
    const { process, raised, adapter } = harnessed({ park: park.signal });
    const call = callbackOf('bash');
    const died = new AbortController();
    const reply = process().permission({ ...call, details: { ...call.details, signal: died.signal } });
    park.abort();
    died.abort();
    adapter.processEnded();
    expect(await Promise.race([reply, new Promise((resolve) => setImmediate(resolve, 'nothing'))])).toBe('nothing');
    expect(raised[0]?.signal?.aborted).toBe(false);
  });
});

describe('a policy', () => {
  it('decides without a person where it allows or denies', async () => {
    const verdicts = { Bash: 'deny', Write: 'allow' } as const;
    const { process, raised } = harnessed({ decide: ({ tool }) => verdicts[tool as 'Bash'] });
    const claude = process();
    expect(decided(await claude.hook(hookOf('bash')))).toBe('ask');
    expect(await claude.permission(callbackOf('bash'))).toEqual({
      behavior: 'deny',
      message: 'The permission policy of this agent denies this call. No person was asked.',
    });
    expect(await claude.hook(hookOf('write'))).toEqual({});
    expect(await claude.permission(callbackOf('write'))).toMatchObject({ behavior: 'allow' });
    expect(raised).toEqual([]);
  });

  it("does not allow what the person's own settings want asked", async () => {
    const { process, raised } = harnessed({ decide: () => 'allow' });
    const call = callbackOf('bash');
    const matchedAskRule = { source: 'userSettings', toolName: 'Bash' };
    void process().permission({ ...call, details: { ...call.details, matchedAskRule } as CallDetails });
    expect(raised).toHaveLength(1);
  });

  it('that fails leaves the decision to a person', () => {
    const decide = () => {
      throw new Error('bad rule');
    };
    const { process, raised } = harnessed({ decide });
    void process().permission(callbackOf('bash'));
    expect(raised).toHaveLength(1);
  });

  it('has no say in a question', async () => {
    const { process, raised, settle } = harnessed({ decide: () => 'deny' });
    const claude = process();
    const output = claude.hook(hookOf('ask_user_question'));
    settle(0, answered([['Ireland']]));
    expect(await output).toEqual({});
    expect(await claude.permission(callbackOf('ask_user_question'))).toMatchObject({ behavior: 'allow' });
    expect(raised).toHaveLength(1);
  });
});

describe('ask_user', () => {
  it('hands on the questions as they came and the answers as they were given', async () => {
    const { process, raised, settle } = harnessed();
    const call = toolCallOf('ask_user');
    const result = process().askUser(call);
    expect(raised[0]?.asking).toMatchObject({
      request_id: call.extra._meta['claudecode/toolUseId'],
      kind: 'ask_user_question',
      questions: call.args.questions,
    });
    const outcome = answered([['this'], ['it is "better"']]);
    settle(0, outcome);
    expect(JSON.parse(textOf(await result) ?? '')).toEqual({ answers: outcome.answers });
  });

  it('is an error, and no denial, where nobody was asked', async () => {
    const { process, settle } = harnessed();
    const result = process().askUser(toolCallOf('ask_user'));
    settle(0, { state: 'unavailable', message: 'down' });
    expect(await result).toMatchObject({ isError: true });
    expect(textOf(await result)).toBe('Approval unavailable: down. No human saw or refused it.');
  });

  it('does not hand on a partial set of answers', async () => {
    const { process, settle } = harnessed();
    const result = process().askUser(toolCallOf('ask_user'));
    settle(0, answered([['this']]));
    expect(textOf(await result)).toMatch(/^Approval unavailable/);
  });

  it('never needs an approval first, by the allow-list and should its call be brought for one', async () => {
    const { process, raised } = harnessed(guarded, { allowedTools: ['Read'] });
    const claude = process();
    expect(claude.all.allowedTools).toEqual(['Read', 'mcp__interactive__ask_user']);
    const { details } = callbackOf('bash');
    const brought = { tool: 'mcp__interactive__ask_user', input: { questions: [] }, details };
    expect(await claude.permission(brought)).toEqual({ behavior: 'allow', updatedInput: { questions: [] } });
    expect(raised).toEqual([]);
  });

  it('is in the sight of the model from the start, beside the servers that are there', () => {
    const { mcpServers } = harnessed({}, { mcpServers: { other: {} as never } }).process().all;
    expect(mcpServers).toMatchObject({ other: {}, interactive: { alwaysLoad: true, tools: [{ name: 'ask_user' }] } });
  });
});

describe('the hook before every call', () => {
  it('holds the call for the person, and leaves the words to the permission callback', async () => {
    const { process, raised, settle } = harnessed(guarded);
    const claude = process();
    const output = claude.hook(hookOf('bash'));
    settle(0, DENIED);
    expect(decided(await output)).toBe('ask');
    expect(await claude.permission(callbackOf('bash'))).toMatchObject({ message: 'The user denied this request: no' });
    expect(raised).toHaveLength(1);
    expect(raised[0]?.asking.session).toMatchObject({ session_id: hookOf('bash').session_id });
  });

  it('stands aside where the harness itself decides', async () => {
    const { process, raised } = harnessed();
    expect(await process().hook(hookOf('bash'))).toEqual({});
    expect(raised).toEqual([]);
  });

  it('stays beside the hooks that are there, and is not given up by the harness for a day', () => {
    const theirs = { hooks: [] };
    const { hooks } = harnessed({}, { hooks: { PreToolUse: [theirs], Stop: [theirs] } }).process().all;
    expect(hooks).toMatchObject({ Stop: [theirs], PreToolUse: [theirs, { timeout: 86_400 }] });
  });

  it.each([
    ['a command', hookOf('bash')],
    ['ask_user', hookOf('ask_user')],
    ['AskUserQuestion', hookOf('ask_user_question')],
  ])(
    'defers %s when it was held long enough; the question goes on, and the next process has its answer',
    async (_what, input) => {
      vi.useFakeTimers();
      const { process, raised, settle, adapter } = harnessed({ ...guarded, holdMs: 60_000 });
      const output = process().hook(input);
      await vi.advanceTimersByTimeAsync(59_999);
      expect(adapter.hasDeferred).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(decided(await output)).toBe('defer');
      adapter.processEnded();
      expect(raised[0]?.signal?.aborted).toBe(false);

      const outcome = adapter.deferredOutcome();
      settle(0, answered([['Ireland']]));
      expect(await outcome).toBe('answered');
      expect(decided(await process().hook(input))).toBe(input.tool_name === 'Bash' ? 'ask' : undefined);
      expect(raised).toHaveLength(1);
    },
  );

  it('defers at once when the runner goes away, and the prompt stays open', async () => {
    const park = new AbortController();
    const { process, raised, adapter } = harnessed({ ...guarded, park: park.signal });
    const output = process().hook(hookOf('bash'));
    park.abort();
    expect(decided(await output)).toBe('defer');
    adapter.processEnded();
    expect(await adapter.deferredOutcome()).toBe('parked');
    expect(raised.map(({ signal }) => signal?.aborted)).toEqual([false]);
  });

  it('defers one call of a message: the other is not asked about, and reads that it is to wait', async () => {
    const { process, raised } = harnessed({ ...guarded, holdMs: 0 });
    const claude = process();
    expect(decided(await claude.hook(hookOf('two_calls_deferred', 'Bash', 0)))).toBe('defer');
    expect(decided(await claude.hook(hookOf('two_calls_deferred', 'Bash', 1)))).toBe('ask');
    expect(await claude.permission(callbackOf('two_calls_deferred', 0))).toEqual({
      behavior: 'deny',
      message: expect.stringMatching(
        /^Approval unavailable: another call .* is waiting .* No human saw or refused it\.$/,
      ),
    });
    expect(raised).toHaveLength(1);
  });

  it('defers one of two calls that were held side by side, and takes the question of the other back', async () => {
    vi.useFakeTimers();
    const { process, raised } = harnessed({ ...guarded, holdMs: 1000 });
    const claude = process();
    const outputs = [claude.hook(hookOf('bash')), claude.hook(hookOf('write'))];
    await vi.advanceTimersByTimeAsync(1000);
    expect((await Promise.all(outputs)).map(decided)).toEqual(['defer', 'ask']);
    expect(await claude.permission(callbackOf('write'))).toMatchObject({ behavior: 'deny' });
    expect(raised.map(({ signal }) => signal?.aborted)).toEqual([false, true]);
  });

  it('never defers the call of a subagent: the permission callback holds it', async () => {
    const { process, raised, settle, adapter } = harnessed({ ...guarded, holdMs: 0 });
    const claude = process();
    const input = hookOf('subagent', 'Bash');
    expect(input.agent_id).toBeTruthy();
    expect(decided(await claude.hook(input))).toBe('ask');
    expect(adapter.hasDeferred).toBe(false);
    const reply = claude.permission(callbackOf('subagent'));
    expect(raised).toHaveLength(1);
    settle(0, APPROVED);
    expect(await reply).toMatchObject({ behavior: 'allow' });
  });
});

describe('a run that was killed', () => {
  const { details, ...call } = callbackOf('bash');
  const interrupted = [{ request_id: 'the one before', call: fingerprint(call.tool, call.input) }];
  const again = (toolUseID: string) => ({ ...call, details: { ...details, toolUseID } });

  it('goes on with the same prompt at the identical call, once', () => {
    const { process, raised } = harnessed({ interrupted });
    const claude = process();
    void claude.permission({ ...again('other'), input: { command: 'touch other' } });
    void claude.permission(again('first'));
    void claude.permission(again('second'));
    expect(raised.map(({ asking }) => asking.request_id)).toEqual(['other', 'the one before', 'second']);
  });
});

it('only the given users may answer', () => {
  const { process, raised } = harnessed({ allowed_user_ids: ['usr_anna'] });
  void process().permission(callbackOf('bash'));
  expect(raised[0]?.asking.allowed_user_ids).toEqual(['usr_anna']);
});

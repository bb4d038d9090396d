import { describe, expect, it } from 'vitest';
import type { Ask, Outcome } from '../../../runner/ask.ts';
import type { AgentMessage, AgentOptions, AgentSdk } from '../../../runner/claude/agent-sdk.ts';
import { type ClaudeRun, type ClaudeSession, runClaude, sessionAfter } from '../../../runner/claude/run-claude.ts';
import { answered } from '../outcomes.ts';
import { callbackOf, hookOf, processesOf, type Scene } from './frames.ts';

/** The SDK as the run meets it: each process tells the recorded messages, after a call to the hook where there is one. */
function replayed(scene: Scene) {
  const processes: { options: AgentOptions; said: string[]; messages: AgentMessage[] }[] = [];
  const firstEnded = Promise.withResolvers<void>();
  const sdk: AgentSdk = {
    createSdkMcpServer: () => ({}),
    async *query({ prompt, options = {} }) {
      const process = { options, said: [] as string[], messages: processesOf(scene)[processes.length] ?? [] };
      processes.push(process);
      const input = (async () => {
        for await (const { message } of prompt) process.said.push(message.content);
      })();
      for (const message of process.messages) {
        const hook = options.hooks?.PreToolUse?.at(-1)?.hooks[0];
        if (message.type === 'result') {
          await hook?.(hookOf(scene) as never, undefined, { signal: new AbortController().signal });
        }
        yield message;
      }
      await input;
      firstEnded.resolve();
    },
  };
  return { sdk, processes, firstEnded: firstEnded.promise };
}

const APPROVED: Ask = async () => answered([['Approve']], 'yes');
const guarded = { decide: () => 'ask' as const, options: { cwd: '/work' }, prompt: 'Do it.' };

async function told(run: ClaudeRun) {
  const messages: AgentMessage[] = [];
  const running = runClaude(run);
  for (;;) {
    const next = await running.next();
    if (next.done) return { messages, end: next.value };
    messages.push(next.value);
  }
}

it('goes on in a second process, without a word of ours, when a deferred call has its answer', async () => {
  const { sdk, processes, firstEnded } = replayed('two_calls_deferred');
  const ask: Ask = () => firstEnded.then(() => answered([['Approve']], 'yes'));
  const { messages, end } = await told({ ...guarded, sdk, ask, holdMs: 0 });
  const [first, second] = processesOf('two_calls_deferred');
  expect(messages).toEqual([...(first ?? []), ...(second ?? [])]);
  expect(processes.map(({ said }) => said)).toEqual([['Do it.'], []]);
  expect(processes.map(({ options }) => options.resume)).toEqual([undefined, first?.[0]?.session_id]);
  expect(end).toEqual({ state: 'ended', session: { session_id: first?.[0]?.session_id, busy: false } });
});

it('brings the tool of this process back with a message, and does not tell of the try without it', async () => {
  const { sdk, processes, firstEnded } = replayed('ask_user_deferred');
  const ask: Ask = () => firstEnded.then(() => answered([['this']]));
  const { messages, end } = await told({ ...guarded, sdk, ask, holdMs: 0 });
  expect(processesOf('ask_user_deferred')[1]?.[0]?.stop_reason).toBe('tool_deferred_unavailable');
  expect(messages.map(({ stop_reason }) => stop_reason)).not.toContain('tool_deferred_unavailable');
  expect(processes.map(({ said }) => said)).toEqual([['Do it.'], ['Go on.']]);
  expect(end).toMatchObject({ state: 'ended', session: { busy: false } });
});

it('ends parked when the runner goes away, with what another one needs to go on', async () => {
  const { sdk, processes } = replayed('two_calls_deferred');
  const park = AbortSignal.abort();
  const { end } = await told({ ...guarded, sdk, ask: async () => ({ state: 'parked' }), park });
  const { session_id, tool_use_id, tool_name } = hookOf('two_calls_deferred');
  expect(end).toEqual({
    state: 'parked',
    session: { session_id, busy: true, deferred: { id: tool_use_id, name: tool_name } },
  });
  expect(processes).toHaveLength(1);
});

describe('a session that goes on in a new runner', () => {
  const { session_id, tool_use_id: id } = hookOf('two_calls_deferred');

  it.each([
    ['is told of the restart where its process was lost', undefined, [expect.stringContaining('was restarted')]],
    ['is told nothing where its call was deferred', { id, name: 'Bash' }, []],
    ['is told to go on where a tool of this process waits', { id, name: 'mcp__interactive__ask_user' }, ['Go on.']],
  ])('%s', async (_what, deferred, said) => {
    const { sdk, processes } = replayed('bash');
    const { prompt: _none, ...run } = guarded;
    await told({ ...run, sdk, ask: APPROVED, session: { session_id, busy: true, ...(deferred && { deferred }) } });
    expect(processes).toMatchObject([{ said, options: { resume: session_id } }]);
  });

  it('keeps its settings beside the guard of its first moments', async () => {
    const settings = { model: 'm', hooks: { PreToolUse: ['theirs'], Stop: ['theirs'] } };
    const guard = { hooks: [{ type: 'command', command: expect.stringContaining('"permissionDecision":"ask"') }] };
    const kept = { model: 'm', hooks: { PreToolUse: ['theirs', guard], Stop: ['theirs'] } };
    for (const [given, expected] of [
      [{ settings }, kept],
      [{ settings: JSON.stringify(settings) }, kept],
      [{}, { hooks: { PreToolUse: [guard] } }],
    ]) {
      const { sdk, processes } = replayed('bash');
      await told({
        ...guarded,
        sdk,
        ask: APPROVED,
        session: { session_id, busy: true },
        options: given as AgentOptions,
      });
      expect(processes.map(({ options }) => options.settings)).toEqual([expected]);
    }
  });
});

it('a session is busy from its start to its result, and a deferred call is over when its result is there', () => {
  const [first, second] = processesOf('two_calls_deferred').map((messages) => {
    let session: ClaudeSession | undefined;
    return messages.map((message) => {
      session = sessionAfter(session, message);
      return session;
    });
  });
  const { session_id, tool_use_id: id } = hookOf('two_calls_deferred');
  const deferred = { id, name: 'Bash' };
  expect(first?.[0]).toEqual({ session_id, busy: true });
  expect(first?.at(-1)).toEqual({ session_id, busy: true, deferred });
  expect(second?.at(-1)).toEqual({ session_id, busy: false });

  const [resumed] = processesOf('two_calls_deferred')[1] ?? [];
  const waiting = { session_id, busy: true, deferred };
  const start = { type: 'system', subtype: 'init', session_id };
  expect(sessionAfter(waiting, start)).toEqual(waiting);
  expect(resumed?.type).toBe('user');
  expect(sessionAfter(waiting, resumed ?? start)).toEqual({ session_id, busy: true });
});

it('does not start over a deferred call whose process ended without a word on it', async () => {
  const { sdk, processes } = replayed('bash');
  const silent: AgentSdk = {
    ...sdk,
    // biome-ignore lint/correctness/useYield: it says nothing
    async *query({ options = {} }) {
      processes.push({ options, said: [], messages: [] });
    },
  };
  const { session_id, tool_use_id: id } = hookOf('bash');
  const session = { session_id, busy: true, deferred: { id, name: 'Bash' } };
  expect(await told({ ...guarded, sdk: silent, ask: APPROVED, session })).toEqual({
    messages: [],
    end: { state: 'ended', session },
  });
  expect(processes).toHaveLength(1);
});

it('acknowledges an outcome as soon as the result of its call is in the session, not at the end of the turn', async () => {
  const { tool, input, details } = callbackOf('bash');
  const acknowledged: string[] = [];
  const seen: [type: string, acknowledged: number][] = [];
  const ask: Ask = async ({ request_id }) =>
    ({ ...answered([['Approve']]), acknowledge: async () => void acknowledged.push(request_id) }) as Outcome;
  const sdk: AgentSdk = {
    createSdkMcpServer: () => ({}),
    async *query({ options }) {
      await options?.canUseTool?.(tool, input, details);
      yield* processesOf('bash')[0] ?? [];
    },
  };
  for await (const { type } of runClaude({ ...guarded, sdk, ask })) seen.push([type, acknowledged.length]);
  const result = seen.findIndex(([type]) => type === 'user');
  expect(seen.slice(0, result).every(([, count]) => count === 0)).toBe(true);
  expect(seen.slice(result).every(([, count]) => count === 1)).toBe(true);
  expect(acknowledged).toEqual([details.toolUseID]);
});

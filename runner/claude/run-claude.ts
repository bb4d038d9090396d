import { setTimeout as wait } from 'node:timers/promises';
import { AFTER_RESTART } from '../after-restart.ts';
import type { AgentMessage, AgentOptions, AgentSdk, SpawnedProcess, SpawnOptions, UserMessage } from './agent-sdk.ts';
import { ASK_USER } from './ask-user-tool.ts';
import { type AdapterOptions, ClaudeAdapter } from './claude-adapter.ts';
import { leashed } from './leashed-process.ts';
import { withStartGuard } from './start-guard.ts';
import { warnOfUntested } from './tested-version.ts';

export type ClaudeRun = AdapterOptions & {
  sdk: AgentSdk;
  /** As for the SDK's `query`; `cwd` must be the same path wherever a session goes on. */
  options: AgentOptions;
  /** The user's message. Without one a session goes on where it was left. */
  prompt?: string;
  session?: ClaudeSession;
  warn?: (line: string) => void;
};
/** What has to be kept of a session to go on with it, after a restart or on another machine. */
export type ClaudeSession = {
  session_id: string;
  /** The model is at work, or was when its process was lost. */
  busy: boolean;
  /** The call that waits for a person although no process runs. */
  deferred?: { id: string; name: string };
};
/** `parked`: the turn goes on with `session` in another process; `stopped`: the run's signal ended it in its middle. */
export type RunEnd = { state: 'ended' | 'parked' | 'stopped'; session: ClaudeSession | undefined };

/** What can be deferred when the runner goes away is deferred at once; what cannot is killed after this. */
const PARK_GRACE_MS = 2000;
/** A deferred tool of a server in this process is not there yet when the session resumes; a message brings it back. */
const GO_ON = 'Go on.';
/** A session that has nothing left to resume keeps silent for ever: then the message after a restart wakes it. */
const SILENCE_MS = 10_000;

/**
 * Runs one turn of Claude Code, which asks people by the adapter. Yields the SDK's messages as they come, over as many
 * processes as the turn needs: while a call is deferred none runs, and when its answer comes the session is resumed.
 *
 * Keep `sessionAfter(session, message)` of every message where a restart finds it. Stop a run by its `signal` or `park`:
 * who only leaves the loop has the SDK close the harness, which writes into the session that a permission failed.
 */
export async function* runClaude(run: ClaudeRun): AsyncGenerator<AgentMessage, RunEnd> {
  const adapter = new ClaudeAdapter(run);
  let { session, prompt } = run;
  if (session && prompt === undefined) prompt = messageToResume(session);
  for (;;) {
    const end = yield* oneProcess(run, adapter, session, prompt);
    session = end.session;
    if (end.state !== 'ended' || !adapter.hasDeferred || session?.deferred === undefined) return end;
    if ((await adapter.deferredOutcome()) === 'parked') return { state: 'parked', session };
    prompt = messageToResume(session);
  }
}

function messageToResume({ deferred }: ClaudeSession): string | undefined {
  if (deferred === undefined) return AFTER_RESTART;
  return deferred.name === ASK_USER ? GO_ON : undefined;
}

export function sessionAfter(session: ClaudeSession | undefined, message: AgentMessage): ClaudeSession | undefined {
  const { type, subtype, session_id = session?.session_id, deferred_tool_use: deferred } = message;
  if (session_id === undefined) return undefined;
  if (type === 'system' && subtype === 'init') return { ...session, session_id, busy: true };
  if (session?.deferred && callsEndedBy(message).includes(session.deferred.id)) return { session_id, busy: true };
  if (type !== 'result') return session;
  if (message.stop_reason !== 'tool_deferred' || !deferred) return { session_id, busy: false };
  return { session_id, busy: true, deferred: { id: deferred.id, name: deferred.name } };
}

/** The calls whose results a message brings. */
function callsEndedBy({ type, message }: AgentMessage): string[] {
  const { content } = Object(message) as { content?: unknown };
  if (type !== 'user' || !Array.isArray(content)) return [];
  return content.map((block) => Object(block).tool_use_id).filter((id) => typeof id === 'string');
}

async function* oneProcess(
  run: ClaudeRun,
  adapter: ClaudeAdapter,
  resumed: ClaudeSession | undefined,
  prompt: string | undefined,
): AsyncGenerator<AgentMessage, RunEnd> {
  const processes = new Processes(run, adapter);
  const done = Promise.withResolvers<void>();
  const heard = new AbortController();
  const messages = run.sdk.query({
    prompt: input(prompt, done.promise, heard.signal),
    options: {
      ...adapter.forProcess(run.options, () => heard.abort()),
      ...(resumed && { resume: resumed.session_id }),
      ...(resumed && run.decide && { settings: withStartGuard(run.options.settings) }),
      spawnClaudeCodeProcess: processes.spawn,
    },
  });
  let session = resumed;
  try {
    for await (const message of messages) {
      if (message.claude_code_version) warnOfUntested(message.claude_code_version, run.warn ?? console.warn);
      if (isFalseStart(message, prompt)) continue;
      if (message.type !== 'command_lifecycle') heard.abort();
      session = sessionAfter(session, message);
      if (message.type === 'result') done.resolve();
      adapter.callsEnded(callsEndedBy(message));
      yield message;
    }
  } catch (error) {
    if (!processes.killed) throw error;
  } finally {
    heard.abort();
    done.resolve();
    processes.end();
    adapter.processEnded();
  }
  if (!processes.killed) return { state: 'ended', session };
  return { state: run.signal?.aborted ? 'stopped' : 'parked', session };
}

/** A deferred call of our own tool was tried before the tool was there; the message behind it tries again. */
function isFalseStart({ type, stop_reason }: AgentMessage, prompt: string | undefined): boolean {
  return type === 'result' && stop_reason === 'tool_deferred_unavailable' && prompt === GO_ON;
}

/** Streaming input: it stays open while the harness may ask, and its end is what ends the process. */
async function* input(
  prompt: string | undefined,
  done: Promise<void>,
  heard: AbortSignal,
): AsyncGenerator<UserMessage> {
  if (prompt !== undefined) yield userMessage(prompt);
  else if (await wait(SILENCE_MS, true, { signal: heard }).catch(() => false)) yield userMessage(AFTER_RESTART);
  await done;
}

function userMessage(content: string): UserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

/**
 * The harness's process, ended by kill where it must go early: its own ways to interrupt or abort write into the
 * session that the user refused.
 */
class Processes {
  readonly #start: (options: SpawnOptions) => SpawnedProcess;
  readonly #over = new AbortController();
  #child: SpawnedProcess | undefined;
  killed = false;

  constructor(run: ClaudeRun, adapter: ClaudeAdapter) {
    this.#start = run.options.spawnClaudeCodeProcess ?? leashed;
    const { signal: over } = this.#over;
    const whenParked = async () => {
      await wait(PARK_GRACE_MS, undefined, { signal: over }).catch(() => {});
      if (!over.aborted) this.#kill();
    };
    onAbort(run.signal, over, () => this.#kill());
    onAbort(run.park, over, () => (adapter.hasDeferred ? undefined : void whenParked()));
  }

  readonly spawn = (options: SpawnOptions): SpawnedProcess => {
    this.#child = this.#start(options);
    if (this.killed) this.#kill();
    return this.#child;
  };

  #kill(): void {
    this.killed = true;
    this.#child?.kill('SIGKILL');
  }

  /** What a consumer that went away, or an error, left running. */
  end(): void {
    this.#over.abort();
    if (this.#child?.exitCode === null) this.#child.kill('SIGKILL');
  }
}

function onAbort(signal: AbortSignal | undefined, over: AbortSignal, then: () => void): void {
  if (signal?.aborted) then();
  else signal?.addEventListener('abort', then, { once: true, signal: over });
}

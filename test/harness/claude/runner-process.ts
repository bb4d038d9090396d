import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import type { Thread } from '../../../functions/core/thread.ts';
import type { Addresses } from '../../../infra/local/addresses.ts';
import { type ClaudeSession, runClaude, sessionAfter } from '../../../runner/claude/run-claude.ts';
import { interruptedCalls } from '../../../runner/interrupted-calls.ts';
import { askOnStack } from '../thread-on-stack.ts';

/** A runner in a process of its own, to be killed: it keeps its session in a file and goes on with it when started anew. */
export type RunnerOrder = {
  addresses: Addresses;
  thread: Thread;
  cwd: string;
  env: Record<string, string> & { HOME: string };
  sessionFile: string;
  holdMs: number;
};

const { addresses, thread, cwd, env, sessionFile, holdMs } = JSON.parse(process.argv[2] ?? '') as RunnerOrder;
const { ask, api, stop } = askOnStack(addresses, thread);
let session = existsSync(sessionFile)
  ? (JSON.parse(readFileSync(sessionFile, 'utf8')) as ClaudeSession | undefined)
  : undefined;
const run = runClaude({
  sdk,
  ask,
  decide: ({ tool }) => (tool === 'Bash' ? 'ask' : 'allow'),
  holdMs,
  options: { cwd, env, settingSources: [] },
  ...(session
    ? { session, interrupted: interruptedCalls(await api.attach(thread), 'claude-code', session.session_id) }
    : { prompt: 'TASK: go' }),
});
for await (const message of run) {
  session = sessionAfter(session, message);
  if (session) {
    writeFileSync(`${sessionFile}.new`, JSON.stringify(session));
    renameSync(`${sessionFile}.new`, sessionFile);
  }
}
await stop();

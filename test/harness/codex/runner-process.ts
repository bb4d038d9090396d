import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Thread } from '../../../functions/core/thread.ts';
import type { Addresses } from '../../../infra/local/addresses.ts';
import { type CodexRun, type CodexSession, runCodex, sessionAfter } from '../../../runner/codex/run-codex.ts';
import { interruptedCalls } from '../../../runner/interrupted-calls.ts';
import { runnerOnStack } from './runner-on-stack.ts';

/** A runner in a process of its own, to be killed: it keeps its session in a file and goes on with it when started anew. */
export type RunnerOrder = Pick<CodexRun, 'codex' | 'socket' | 'thread'> & {
  addresses: Addresses;
  place: Thread;
  sessionFile: string;
};

const { addresses, place, sessionFile, ...given } = JSON.parse(process.argv[2] ?? '') as RunnerOrder;
const runner = await runnerOnStack(addresses, `${sessionFile}.inbox`);
const run = runner.run(place);
let session = existsSync(sessionFile)
  ? (JSON.parse(readFileSync(sessionFile, 'utf8')) as CodexSession | undefined)
  : undefined;
const goesOn = session && {
  session,
  interrupted: interruptedCalls(await run.attach(), 'codex', session.thread_id),
};
for await (const notification of runCodex({ ...given, ask: run.ask, ...(goesOn ?? { prompt: 'Do it.' }) })) {
  session = sessionAfter(session, notification);
  if (session) {
    writeFileSync(`${sessionFile}.new`, JSON.stringify(session));
    renameSync(`${sessionFile}.new`, sessionFile);
  }
}
await run.acknowledge();
await runner.stop();

import { type ChildProcess, spawn } from 'node:child_process';
import type { SpawnedProcess, SpawnOptions } from './agent-sdk.ts';

/**
 * Claude Code whose host is gone reads "stream closed", and goes on without it: it calls the model and does what needs
 * no approval. So a shell beside it holds the other end of a pipe (3) that closes with the host, and then kills both.
 */
const LEASH = `
exec 4<&0
"$@" <&4 3<&- 4<&- &
cli=$!
{ read -r _ <&3; kill -KILL 0; } > /dev/null 2>&1 4<&- &
leash=$!
exec 3<&- 4<&- 2> /dev/null
wait $cli
code=$?
kill -KILL $leash
exit $code
`;

/** Starts Claude Code so that it dies with this process, `kill -9` included, and never of a signal meant for the host. */
export function leashed({ command, args, cwd, env }: SpawnOptions): SpawnedProcess {
  const child = spawn('sh', ['-c', LEASH, 'sh', command, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    // A process group of its own, so that the whole of it can be killed.
    detached: true,
  });
  return Object.assign(child, { kill: (signal: NodeJS.Signals) => killGroup(child, signal) }) as SpawnedProcess;
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/** The processes that run with this home, whoever started them: Claude Code and what ties it to its runner. */
export function processesOf(home: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => told(pid, 'environ').includes(`HOME=${home}\0`)).map(Number);
}

export function isClaude(pid: number): boolean {
  return /claude$/.test(told(pid, 'cmdline').split('\0')[0] ?? '');
}

function told(pid: string | number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It ended while we looked.
    return '';
  }
}

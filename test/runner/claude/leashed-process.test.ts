import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { leashed } from '../../../runner/claude/leashed-process.ts';
import { eventually } from '../../support/eventually.ts';

const env = { PATH: process.env.PATH };
const shell = (script: string) => leashed({ command: 'sh', args: ['-c', script], env });

it('passes input, output and the exit code through', async () => {
  const child = shell('read -r line; echo "heard $line"; exit 7');
  const exited = once(child as never, 'exit');
  child.stdin.end('hello\n');
  expect(await text(child.stdout)).toBe('heard hello\n');
  expect(await exited).toEqual([7, null]);
});

it('ends the input where ours ends', async () => {
  const child = shell('cat; echo over');
  child.stdin.end();
  expect(await text(child.stdout)).toBe('over\n');
});

it('ends when the process dies by itself', async () => {
  const child = shell('kill -KILL $$');
  expect((await once(child as never, 'exit'))[0]).toBe(137);
});

it('kills all that the process has started', async () => {
  const child = shell('sleep 600 & echo $!; wait');
  const exited = once(child as never, 'exit');
  const [pid] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await exited;
  await eventually(() => !isAlive(Number(pid)), 'the end of the grandchild');
});

it('dies with its host, whatever kills that', async () => {
  const module = path.resolve('runner/claude/leashed-process.ts');
  const program = `
    import { leashed } from ${JSON.stringify(module)};
    const child = leashed({ command: 'sh', args: ['-c', 'echo $$; exec sleep 600'], env: process.env });
    child.stdout.pipe(process.stdout);
  `;
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(host.stdout, 'data');
  expect(isAlive(Number(pid))).toBe(true);
  host.kill('SIGKILL');
  await eventually(() => !isAlive(Number(pid)), 'the end of the leashed process');
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

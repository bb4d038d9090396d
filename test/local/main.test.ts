import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const MAIN = path.resolve(import.meta.dirname, '../../infra/local/main.ts');

/** Only what ends before anything is built: the rest is in deploy.test.ts. */
async function main(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await run(process.execPath, [MAIN, ...args])) };
  } catch (error) {
    return error as { code: unknown; stdout: string; stderr: string };
  }
}

it('a wrong flag is one plain sentence on stderr, and exit code 1', async () => {
  const { code, stdout, stderr } = await main('--port', 'many');
  expect([code, stdout, stderr]).toEqual([1, '', '--port must be 0 or a number up to 65530, not "many".\n']);
});

it('so is a port that is taken, before anything is built', async () => {
  const port = 30_001 + (process.pid % 1000);
  const blocker = createServer().listen(port, '127.0.0.1');
  await once(blocker, 'listening');
  const { code, stdout, stderr } = await main('--port', String(port - 1));
  blocker.close();
  const sentence = `Port ${port} is taken: stop what listens there, or give another first port with --port.\n`;
  expect([code, stdout, stderr]).toEqual([1, '', sentence]);
});

it('--help lists the flags', async () => {
  const { code, stdout } = await main('--help');
  expect(code).toBe(0);
  expect(stdout).toContain('--ready-file PATH');
});

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppServer } from '../../../runner/codex/app-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'as-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const env = { PATH: process.env.PATH };

it('is not there before it is started', async () => {
  expect(await new AppServer(path.join(folder, 's')).connect()).toBeUndefined();
});

it('that ends at once is told with what it said', async () => {
  const server = new AppServer(path.join(folder, 's'));
  const codex = { command: 'sh', args: ['-c', 'echo "no such model" >&2; exit 3'], env };
  await expect(server.start(codex)).rejects.toThrow('Codex did not start: no such model');
});

it('that cannot be run at all is told, too', async () => {
  const server = new AppServer(path.join(folder, 's'));
  await expect(server.start({ command: '/nonexistent/codex', env })).rejects.toThrow(/did not start: .*not found/s);
});

it('has its socket in a folder for this user alone', async () => {
  const server = new AppServer(path.join(folder, 'new/s'));
  await expect(server.start({ command: 'false', env })).rejects.toThrow('it said nothing');
  expect(statSync(path.join(folder, 'new')).mode & 0o777).toBe(0o700);
});

it('is refused a path that no socket can have', () => {
  expect(() => new AppServer(`/tmp/${'x'.repeat(103)}`)).toThrow('at most 103 bytes');
});

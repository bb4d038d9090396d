import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The app said on the terminal what is wrong. */
export class SynthError extends Error {
  override name = 'SynthError';
}

export type Assembly = { folder: string; remove(): void };

/**
 * Synthesizes the CDK app in a process of its own: what CDK takes of memory (some 200 MB) goes away with it. CDK's check
 * of the template, 7 of 10 seconds, is for `npm run synth`.
 * @throws SynthError
 */
export async function synthesize(signal: AbortSignal): Promise<Assembly> {
  const folder = mkdtempSync(path.join(tmpdir(), 'interactive-prompts-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await runApp(folder, signal);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function runApp(folder: string, signal: AbortSignal): Promise<void> {
  const env = { ...process.env, CDK_OUTDIR: folder, CDK_VALIDATION: 'false' };
  const app = spawn(process.execPath, ['infra/app.ts'], { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    const kill = () => app.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    app.once('error', reject);
    app.once('exit', (code) => {
      signal.removeEventListener('abort', kill);
      if (code === 0) resolve();
      else reject(new SynthError('The stack could not be synthesized.'));
    });
  });
}

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inject } from 'vitest';
import { synthesize } from '../../infra/local/synth.ts';
import { eventually } from './eventually.ts';

/**
 * The folder of the synthesized stack, made once for all test files: three seconds of both cores. Nobody may change what
 * is in it.
 */
export async function assembly(): Promise<string> {
  const place = inject('assemblyFolder');
  const stack = path.join(place, 'stack');
  if (isFirst(path.join(place, 'begun'))) renameSync((await synthesize(new AbortController().signal)).folder, stack);
  else await eventually(() => existsSync(stack), 'the stack that another test file synthesizes', 60_000);
  return stack;
}

/** A copy of it with another template. @returns its folder */
export async function changedAssembly(change: (template: string) => string): Promise<string> {
  const folder = path.join(inject('assemblyFolder'), crypto.randomUUID());
  cpSync(await assembly(), folder, { recursive: true });
  const file = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.template.json')) ?? '');
  const template = readFileSync(file, 'utf8');
  const changed = change(template);
  if (changed === template) throw new Error('the template is as it was');
  writeFileSync(file, changed);
  return folder;
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch {
    return false;
  }
}

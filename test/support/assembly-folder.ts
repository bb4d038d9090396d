import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    assemblyFolder: string;
  }
}

/** Vitest's global setup: a place for the synthesized stack, which the first test file that needs it fills. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'assembly-'));
  project.provide('assemblyFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

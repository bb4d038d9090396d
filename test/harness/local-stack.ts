import type { TestProject } from 'vitest/node';
import type { Addresses } from '../../infra/local/addresses.ts';
import { deployLocally } from '../../infra/local/deploy.ts';
import { synthesize } from '../../infra/local/synth.ts';

declare module 'vitest' {
  interface ProvidedContext {
    addresses: Addresses;
  }
}

/** The local stack, once for all the scenarios; each of them has a thread of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const assembly = await synthesize(new AbortController().signal);
  const stack = await deployLocally({ assembly: assembly.folder, port: 0, scheduleEveryMs: 1000, log: () => {} });
  project.provide('addresses', stack.addresses);
  return async () => {
    await stack.stop();
    assembly.remove();
  };
}

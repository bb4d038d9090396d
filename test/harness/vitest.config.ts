import { defineConfig } from 'vitest/config';

/** The real agents through the whole local stack. One file at a time: they share the runner's queue and two cores. */
export default defineConfig({
  test: {
    include: ['test/harness/**/*.test.ts'],
    globalSetup: ['test/harness/local-stack.ts'],
    fileParallelism: false,
    reporters: ['verbose'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/assembly-folder.ts',
    // For machines that are busy: no test waits on a clock, so it costs nothing where all is well.
    testTimeout: 30_000,
    // Vitest leaves one core idle; these tests wait on processes of their own more than they compute.
    maxWorkers: '100%',
    // What needs an agent, a browser, Java or a quiet machine is run by its own command.
    exclude: ['test/harness/**', 'test/browser/**', 'test/bench/**', 'test/dynamodb-local/**'],
    coverage: {
      provider: 'v8',
      include: ['functions/core/**'],
      // The core is pure and decides everything: a line of it that no test runs has no reason to be there.
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
});

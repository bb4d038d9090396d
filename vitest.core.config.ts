import { defineConfig } from 'vitest/config';

/** The core's own tests alone, for mutation testing: each of its thousands of runs must take a moment only. */
export default defineConfig({ test: { include: ['test/core/**/*.test.ts'] } });

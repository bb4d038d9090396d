import { defineConfig } from 'vitest/config';
import { findBrowser } from './find-browser.ts';

const hasBrowser = findBrowser() !== undefined;
if (!hasBrowser) console.log('Skipped: no browser here. Install chromium, or name one with CHROMIUM=/path/to/it.');

/** A real browser, and for most of it the whole local stack: slower than all other tests, and run by its own command. */
export default defineConfig({
  test: {
    include: hasBrowser ? ['test/browser/**/*.test.ts'] : [],
    passWithNoTests: true,
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 90_000,
  },
});

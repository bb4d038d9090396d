import { defineConfig } from 'vitest/config';

/** AWS's own engine, which needs Java: slower to start than all of the store's tests. */
export default defineConfig({ test: { include: ['test/dynamodb-local/**/*.test.ts'] } });

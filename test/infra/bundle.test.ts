import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { bundleFunctions } from '../../infra/bundle.ts';

const NAMES = ['ingest', 'resolver', 'runner-api', 'reconciler'];
const run = promisify(execFile);

/** What Lambda and the stack set (functions.test.ts); nothing answers at the endpoint, and nothing needs to. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  STAGE: 'prod',
  TABLE_NAME: 'table',
  RESOLVER_QUEUE_URL: 'http://127.0.0.1:9/queue',
  RUNNER_QUEUE_URLS: '{"default":"http://127.0.0.1:9/queue"}',
  RUNNER_ROLE_PREFIX: 'stack-runner-',
  WEBHOOK_SECRETS_ARN: 'secret',
  TRUST_WEBHOOK_ITEM: 'true',
  THREAD_HOST_URL: 'http://127.0.0.1:9',
  THREAD_HOST_KEY_ARN: 'secret',
};

/** Esbuild and four processes, perhaps on a machine that is busy with others. */
const SLOW = { timeout: 30_000 };

test('every function becomes one module that starts by itself, far from the repository', SLOW, async () => {
  const bundles = await bundleFunctions({ into: await emptyFolder() });
  expect(bundles.map(({ name }) => name)).toEqual(NAMES);
  for (const { file } of bundles) expect(await readdir(path.dirname(file))).toEqual(['index.mjs']);
  // A cold start reads and compiles all of it. The credentials are Lambda's three variables, so nothing looks elsewhere.
  const limits = { ingest: 300_000, resolver: 380_000, 'runner-api': 390_000, reconciler: 380_000 };
  for (const { name, bytes } of bundles) expect([name, bytes <= limits[name], bytes]).toEqual([name, true, bytes]);
  for (const { sources } of bundles)
    expect([...sources.keys()].filter((name) => /nested-clients|provider-(ini|sso|http)/.test(name))).toEqual([]);
  const started = bundles.map(async ({ file }) => {
    const start = `const { handler } = await import('${file}'); console.log(typeof handler); process.exit()`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', start], { env: ENVIRONMENT });
    return stdout.trim();
  });
  expect(await Promise.all(started)).toEqual(NAMES.map(() => 'function'));
});

test('two builds of the same sources are the same, so that an asset changes only with its code', async () => {
  const [first, second] = await Promise.all([bundlesOf(GOOD_HANDLER), bundlesOf(GOOD_HANDLER)]);
  expect(first).toEqual(second);
});

test('a real require is there only where CommonJS code asks for one', async () => {
  const [plain] = await bundlesOf(GOOD_HANDLER);
  expect(plain).not.toContain('createRequire');
  const [commonJs] = await bundlesOf(`const os = require('node:os');\n${GOOD_HANDLER}`);
  expect(commonJs).toContain('createRequire');
});

test('a handler that Lambda could not call fails the build', async () => {
  await expect(bundlesOf('export const handle = 1;')).rejects.toThrow(/handler\.ts must export "handler"/);
});

const GOOD_HANDLER = 'export const handler = async () => "here";';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bundles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function bundlesOf(handler: string): Promise<string[]> {
  const from = await emptyFolder();
  for (const name of NAMES) {
    await mkdir(path.join(from, name));
    await writeFile(path.join(from, name, 'handler.ts'), handler);
  }
  const bundles = await bundleFunctions({ from, into: await emptyFolder() });
  return Promise.all(bundles.map(({ file }) => readFile(file, 'utf8')));
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleFunctions } from '../../infra/bundle.ts';
import { ALLOWED_LICENCES, bundledPackages, licenceRows } from '../../infra/licences.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const into = await mkdtemp(path.join(tmpdir(), 'licences-'));
afterAll(() => rm(into, { recursive: true }));
const packages = await bundledPackages(await bundleFunctions({ into }));

test('whatever is bundled into a function may be passed on', () => {
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['@aws-sdk/client-sqs', 'ulid', 'zod']));
  expect(packages.filter(({ licence }) => !ALLOWED_LICENCES.includes(licence))).toEqual([]);
});

test('SECURITY.md lists exactly that: `node infra/licences.ts` prints the rows', async () => {
  const text = await readFile(path.join(ROOT, 'SECURITY.md'), 'utf8');
  const listed = text.split('\n').filter((line) => /^\| \S+ \| \d+\.\d+\.\d+\S* \| [^|]+ \|$/.test(line));
  expect(listed).toEqual(licenceRows(packages));
});

test('whatever is bundled comes from the lockfile, with its digest, and is there for the functions', async () => {
  const { dependencies } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const { packages: locked } = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
  // A runner finds its credentials wherever the AWS SDK does; a function has them from Lambda (infra/bundle.ts).
  const { '@aws-sdk/credential-provider-node': ofTheRunner, ...ofTheFunctions } = dependencies;
  expect(ofTheRunner).toBeDefined();
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(ofTheFunctions)));
  for (const { folder, version } of packages) {
    const entry = locked[folder];
    expect(entry).toMatchObject({ version, integrity: expect.stringMatching(/^sha512-/) });
    expect(entry).not.toHaveProperty('dev');
  }
});

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Bundle, bundleFunctions } from './bundle.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Of what goes into the functions: they let anybody use and pass the code on, for the copyright notice alone. */
export const ALLOWED_LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** `folder` is also the package's key in the lockfile. */
export type BundledPackage = { folder: string; name: string; version: string; licence: string };

/** The packages of which at least a byte is in a function, by name. */
export async function bundledPackages(bundles: readonly Bundle[]): Promise<BundledPackage[]> {
  const folders = new Set(
    bundles.flatMap(({ sources }) => [...sources.keys()]).filter((source) => source !== 'functions'),
  );
  const packages = await Promise.all([...folders].map(readPackage));
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const { name, version, license } = JSON.parse(await readFile(path.join(ROOT, folder, 'package.json'), 'utf8'));
  return { folder, name, version, licence: typeof license === 'string' ? license : 'none stated' };
}

/** The rows of the table in SECURITY.md. */
export function licenceRows(packages: readonly BundledPackage[]): string[] {
  return packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
}

/** `node infra/licences.ts` prints the rows. */
if (process.argv[1] === import.meta.filename) {
  console.log(licenceRows(await bundledPackages(await bundleFunctions())).join('\n'));
}

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * `npm run build:runner`: what `import … from 'interactive-prompts/runner'` gets, as JavaScript by esbuild with the types
 * by TypeScript, which does not rewrite imports like `#core/item.ts`.
 */
const ROOT = path.resolve(import.meta.dirname, '..');
const OUT = path.join(ROOT, 'dist/runner');
/** A package within the package: in there the types' `#core/item.ts` are the ones beside them. */
const SCOPE = { type: 'module', imports: { '#core/*.ts': { types: './functions/core/*.d.ts' } } };

rmSync(OUT, { recursive: true, force: true });
const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string>;
};
await build({
  absWorkingDir: ROOT,
  entryPoints: Object.values(exports).map((file) => file.replace('dist/runner/', '').replace(/\.js$/, '.ts')),
  outdir: OUT,
  outbase: ROOT,
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node22',
});
const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const types = spawnSync(process.execPath, [tsc, '-p', path.join(import.meta.dirname, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (types.status !== 0) throw new Error('The types could not be made.');
writeFileSync(path.join(OUT, 'package.json'), `${JSON.stringify(SCOPE, undefined, 2)}\n`);

import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '..');
const FUNCTIONS = ['ingest', 'resolver', 'runner-api', 'reconciler'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** The one build of all functions: each `<source>/<name>/handler.ts` with everything it imports becomes one module. */
const OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // esbuild's own order for Node takes CommonJS first, which cannot be shaken: the AWS SDK would double the bundle.
  mainFields: ['module', 'main'],
  alias: { '@aws-sdk/credential-provider-node': path.join(import.meta.dirname, 'environment-credentials.ts') },
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions;

/** esbuild's stand-in for a `require` inside CommonJS code says this where there is no real one, as in an ES module. */
const NEEDS_REQUIRE = 'Dynamic require of';
const REQUIRE_BANNER = `import{createRequire as $r}from'node:module';const require=$r(import.meta.url);\n`;

export type Bundle = {
  name: FunctionName;
  file: string;
  bytes: number;
  hasRequire: boolean;
  /** Bytes by the folder of the package that they come from; `functions` is our own code. */
  sources: Map<string, number>;
};

/** The folder that the stack takes the functions from. */
export const BUNDLES = path.join(ROOT, 'dist/functions');

/**
 * @param from the folder with `<name>/handler.ts`
 * @param into gets `<name>/index.mjs`; what a process that bundles at the same time reads there is never half a file
 */
export function bundleFunctions({ from = path.join(ROOT, 'functions'), into = BUNDLES } = {}): Promise<Bundle[]> {
  return Promise.all(FUNCTIONS.map((name) => bundleFunction(name, path.join(from, name, 'handler.ts'), into)));
}

async function bundleFunction(name: FunctionName, entry: string, into: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({ ...OPTIONS, entryPoints: [entry], absWorkingDir: ROOT });
  const [output] = Object.values(metafile.outputs);
  if (!output?.exports.includes('handler')) throw new Error(`${entry} must export "handler", which Lambda calls.`);
  const code = outputFiles[0]?.text ?? '';
  const hasRequire = code.includes(NEEDS_REQUIRE);
  const file = path.join(into, name, 'index.mjs');
  await writeWhole(file, hasRequire ? REQUIRE_BANNER + code : code);
  return { name, file, bytes: Buffer.byteLength(code), hasRequire, sources: sourcesOf(output.inputs) };
}

/** The folder is a function's asset, so the unfinished file lies beside it. */
async function writeWhole(file: string, code: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const unfinished = `${path.dirname(file)}.${process.pid}.tmp`;
  await writeFile(unfinished, code);
  await rename(unfinished, file);
}

function sourcesOf(inputs: Record<string, { bytesInOutput: number }>): Map<string, number> {
  const sources = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
    if (bytesInOutput === 0) continue;
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? 'functions';
    sources.set(folder, (sources.get(folder) ?? 0) + bytesInOutput);
  }
  return sources;
}

/** What `node infra/bundle.ts` tells of. */
const LARGEST = 8;

/** `node infra/bundle.ts` builds and tells where the bytes come from. */
if (process.argv[1] === import.meta.filename) {
  for (const { name, bytes, hasRequire, sources } of await bundleFunctions()) {
    console.log(`${name}: ${kilobytes(bytes)}${hasRequire ? ', with require' : ''}`);
    const largest = [...sources].sort(([, a], [, b]) => b - a).slice(0, LARGEST);
    for (const [source, part] of largest) console.log(`  ${kilobytes(part)}  ${source}`);
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

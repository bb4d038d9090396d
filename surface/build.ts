import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** A file by its name beside the page. */
export type SurfaceFile = { name: string; bytes: Buffer };

const HERE = import.meta.dirname;
const FOLDER = path.join(HERE, '../dist/surface');
/** What a page may cost that embeds the element alone. */
export const ELEMENT_LIMIT_BYTES = 25_000;

/** Bundles the element, and the thread page as static files. Takes 0.1 s; nothing is written. */
export async function buildSurface(): Promise<SurfaceFile[]> {
  const { outputFiles } = await build({
    entryPoints: {
      'pending-prompt': path.join(HERE, 'pending-prompt.ts'),
      'thread-page': path.join(HERE, 'page/thread-page.ts'),
      index: path.join(HERE, 'page/index.html'),
      page: path.join(HERE, 'page/page.css'),
    },
    outdir: FOLDER,
    loader: { '.html': 'copy' },
    bundle: true,
    minify: true,
    // No module: a page that is opened as a file loads it, too.
    format: 'iife',
    target: ['chrome123', 'firefox128', 'safari17.5'],
    legalComments: 'none',
    logLevel: 'silent',
    write: false,
  });
  return outputFiles.map(({ path: file, contents }) => ({ name: path.basename(file), bytes: Buffer.from(contents) }));
}

export function gzippedBytes({ bytes }: SurfaceFile): number {
  return gzipSync(bytes, { level: 9 }).length;
}

/** `npm run surface`: writes the files to dist/surface and tells their sizes. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of await buildSurface()) {
    writeFileSync(path.join(FOLDER, file.name), file.bytes);
    console.log(`dist/surface/${file.name}  ${(gzippedBytes(file) / 1000).toFixed(1)} kB gzipped`);
  }
}

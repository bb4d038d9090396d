import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSurface } from '../../surface/build.ts';

/** The page of surface/README.md, word for word. */
export function barePageOfReadme(): string {
  const readme = readFileSync(path.resolve(import.meta.dirname, '../../surface/README.md'), 'utf8');
  return /```html\n(.*?)```/s.exec(readme)?.[1] ?? '';
}

/** Writes a page beside the built element, to be opened as a file. */
export async function writeBarePage(html: string): Promise<{ url: string; remove: () => void }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bare-page-'));
  for (const { name, bytes } of await buildSurface()) writeFileSync(path.join(folder, name), bytes);
  writeFileSync(path.join(folder, 'bare.html'), html);
  const remove = () => rmSync(folder, { recursive: true });
  return { url: pathToFileURL(path.join(folder, 'bare.html')).href, remove };
}

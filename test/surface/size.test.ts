import { expect, it } from 'vitest';
import { buildSurface, ELEMENT_LIMIT_BYTES, gzippedBytes } from '../../surface/build.ts';

it('costs a page that embeds the element at most 25 kB gzipped', async () => {
  const files = await buildSurface();
  expect(files.map(({ name }) => name).sort()).toEqual([
    'index.html',
    'page.css',
    'pending-prompt.js',
    'thread-page.js',
  ]);
  const element = files.find(({ name }) => name === 'pending-prompt.js');
  const size = element ? gzippedBytes(element) : 0;
  expect(size).toBeGreaterThan(5000);
  expect(size).toBeLessThanOrEqual(ELEMENT_LIMIT_BYTES);
});

it('sets nothing that an agent wrote as markup', async () => {
  const files = await buildSurface();
  const scripts = files.filter(({ name }) => name.endsWith('.js')).map(({ bytes }) => bytes.toString());
  for (const script of scripts) {
    // The template library's own, of its own templates.
    expect(script.match(/\.innerHTML|insertAdjacentHTML|unsafeHTML|document\.write|\beval\(|new Function/g)).toEqual([
      '.innerHTML',
    ]);
  }
});

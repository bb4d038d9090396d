import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** The pages that promise something and name the tests that hold it: each file and title that they name must be there. */
const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

async function rowsOf(page: string, header: string): Promise<{ promise: string; row: string }[]> {
  const table = (await read(page)).split(header)[1]?.split('\n\n')[0] ?? '';
  const lines = table.split('\n').filter((line) => line.startsWith('| '));
  return lines.map((row) => ({ promise: row.slice(2).split(' | ')[0] ?? '', row }));
}
const threats = await rowsOf('SECURITY.md', '| threat | defence | test |');
const invariants = await rowsOf('test/README.md', '| invariant | held by |');

test('every threat and every invariant is there', () => {
  expect(threats.length).toBeGreaterThan(20);
  expect(invariants.map(({ promise }) => promise.split(' ')[0])).toEqual(
    Array.from({ length: 20 }, (_, n) => `I${n + 1}`),
  );
});

describe.each([...threats, ...invariants])('$promise', ({ row }) => {
  test('is held by tests that are there', async () => {
    const files = [...row.matchAll(/`(test\/[^`]+)`: (“[^`]+”)/g)];
    expect(files.length).toBeGreaterThan(0);
    const missing: string[] = [];
    for (const [, file = '', titles = ''] of files) {
      const text = await read(file);
      const named = [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title);
      missing.push(...named.filter((title) => !text.includes(title)).map((title) => `${file}: ${title}`));
    }
    expect(missing).toEqual([]);
  });
});

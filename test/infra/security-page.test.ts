import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

/** The rows of SECURITY.md's "Threats, defences, tests": the threat, and each file with the titles that it names. */
const section = (await read('SECURITY.md')).split('## Threats, defences, tests')[1]?.split('\n## ')[0] ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| threat'))
  .map((line) => {
    const [threat = '', , tests = ''] = line.slice(2, -2).split(' | ');
    return { threat, tests };
  });

test('there are threats, each with a test', () => {
  expect(rows.length).toBeGreaterThan(20);
});

describe.each(rows)('$threat', ({ tests }) => {
  test('is defended against by tests that are there', async () => {
    const files = [...tests.matchAll(/`(test\/[^`]+)`: (“[^`]+”)/g)];
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

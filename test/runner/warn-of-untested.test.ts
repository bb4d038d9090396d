import { expect, it } from 'vitest';
import { warnOfUntested } from '../../runner/warn-of-untested.ts';

it('warns once of each version of each harness that was not tested, and says what was', () => {
  const lines: string[] = [];
  for (const version of ['0.9.0', '0.8.0', '0.9.0', '0.9.1']) {
    warnOfUntested('Codex', version, '0.8.0', (line) => lines.push(line));
  }
  warnOfUntested('Claude Code', '0.9.0', '1.0.0', (line) => lines.push(line));
  expect(lines).toEqual([
    'Codex 0.9.0 is not tested with this adapter; tested is 0.8.0.',
    'Codex 0.9.1 is not tested with this adapter; tested is 0.8.0.',
    'Claude Code 0.9.0 is not tested with this adapter; tested is 1.0.0.',
  ]);
});

import { expect, it } from 'vitest';
import { TESTED_CLAUDE_CODE, warnOfUntested } from '../../../runner/claude/tested-version.ts';
import { processesOf } from './frames.ts';

it('warns once of each version that was not tested, and says what was', () => {
  const lines: string[] = [];
  for (const version of ['9.0.0', TESTED_CLAUDE_CODE, '9.0.0', '9.0.1']) {
    warnOfUntested(version, (line) => lines.push(line));
  }
  expect(lines.map((line) => line.split(' ')[2])).toEqual(['9.0.0', '9.0.1']);
  for (const line of lines) expect(line).toContain(`tested is ${TESTED_CLAUDE_CODE}`);
});

it('tested is the version that the inputs were recorded from', () => {
  expect(processesOf('bash')[0]?.[0]?.claude_code_version).toBe(TESTED_CLAUDE_CODE);
});

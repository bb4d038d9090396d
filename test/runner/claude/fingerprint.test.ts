import { expect, it } from 'vitest';
import { fingerprint } from '../../../runner/claude/fingerprint.ts';

const push = { command: 'git push', description: 'publish' };

it('names a call by what it does: not by the order of its fields, nor by the remark on a command', () => {
  expect(fingerprint('Bash', { description: 'send it', command: 'git push' })).toBe(fingerprint('Bash', push));
  expect(fingerprint('Write', { a: { b: 1, c: [2] }, d: 3 })).toBe(fingerprint('Write', { d: 3, a: { c: [2], b: 1 } }));
});

it.each([
  ['another command', 'Bash', { command: 'git push -f' }],
  ['another field', 'Bash', { command: 'git push', dangerouslyDisableSandbox: true }],
  ['another tool', 'Write', push],
])('tells %s apart', (_what, tool, input) => {
  expect(fingerprint(tool, input)).not.toBe(fingerprint('Bash', push));
});

it('tells apart what only looks alike: the description that a tool acts on, a list and fields, one nesting and another', () => {
  const names = [
    { description: 'one' },
    { description: 'two' },
    { a: [['b', 1]] },
    { a: { b: 1 } },
    { a: ['fields', ['b', 1]] },
    JSON.parse('{"__proto__": 1}'),
    {},
  ].map((input) => fingerprint('mcp__tracker__create', input));
  expect(new Set(names).size).toBe(names.length);
});

import { expect, it } from 'vitest';
import { z } from 'zod';
import { issuesOf } from '#core/issues.ts';

it.each<[string, z.ZodType, unknown, string, string]>([
  ['a missing field', z.object({ a: z.string() }), {}, 'a', 'This is missing.'],
  ['a missing value', z.string(), undefined, '', 'This is missing.'],
  ['a text', z.string(), 5, '', 'This must be a text.'],
  ['a list', z.array(z.string()), 'x', '', 'This must be a list.'],
  ['an object', z.object({}), [], '', 'This must be an object.'],
  ['true or false', z.boolean(), 'true', '', 'This must be true or false.'],
  ['a type without another name', z.bigint(), 'x', '', 'This must be bigint.'],
  ['one of several', z.enum(['a', 'b']), 'c', '', 'This must be one of a, b.'],
  ['a text too short', z.string().min(1), '', '', 'This must not be empty.'],
  ['a list too short', z.array(z.string()).min(1), [], '', 'This must not be empty.'],
  ['a text too long', z.string().max(3), 'abcd', '', 'This must have at most 3 characters.'],
  ['a list too long', z.array(z.number()).max(1), [1, 2], '', 'This must have at most 1 entries.'],
  ['what has a sentence of its own', z.string().refine(() => false, 'No.'), 'x', '', 'No.'],
  ['anything else', z.string().regex(/a/), 'x', '', 'This is not of the right shape.'],
  [
    'a place deep within',
    z.object({ a: z.array(z.array(z.object({ b: z.string() }))) }),
    { a: [[], [{ b: 'x' }, { b: 1 }]] },
    'a[1][1].b',
    'This must be a text.',
  ],
  ['a place in a list of objects', z.array(z.object({ a: z.string() })), [{ a: 1 }], '[0].a', 'This must be a text.'],
  ['a place in a list alone', z.array(z.string()), ['a', 5], '[1]', 'This must be a text.'],
])('%s is told by its place and one sentence', (_, schema, value, path, message) => {
  expect(issuesOf(schema, value)).toEqual([{ path, message }]);
});

it('nothing is told of what is of its shape', () => {
  expect(issuesOf(z.object({ a: z.string() }), { a: 'x' })).toEqual([]);
});

it('the first twenty are told, in their order', () => {
  const paths = issuesOf(
    z.array(z.string()),
    Array.from({ length: 21 }, () => 1),
  ).map(({ path }) => path);
  expect(paths).toEqual(Array.from({ length: 20 }, (_, at) => `[${at}]`));
});

it('a value is never repeated', () => {
  const told = JSON.stringify(issuesOf(z.object({ a: z.enum(['x']), b: z.number() }), { a: 'secret', b: 'secret' }));
  expect(told).not.toContain('secret');
});

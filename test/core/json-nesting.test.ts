import { describe, expect, it } from 'vitest';
import { nestsWithin, parseJson } from '#core/json.ts';

/** What leaves again after one hop. */
function hop(text: string, maxDepth?: number): string {
  const parsed = parseJson(text, maxDepth);
  if (!parsed.ok) throw new Error(parsed.why);
  return JSON.stringify(parsed.value);
}
const lists = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('nesting (interface.md 1)', () => {
  const refused = (depth: number) => ({ ok: false, why: `nested deeper than ${depth}` });
  it.each([
    ['lists', lists],
    ['objects', objects],
  ])('of %s up to 32', (_, nested) => {
    expect(hop(nested(32))).toBe(nested(32));
    expect(parseJson(nested(33))).toEqual(refused(32));
    expect(parseJson(nested(5000))).toEqual(refused(32));
  });
  it('counts what is open at once, not what was', () => {
    const many = `[${Array.from({ length: 100 }, () => objects(31)).join(',')}]`;
    expect(hop(many)).toBe(many);
  });
  it('of both kinds together, and around an odd number', () => {
    expect(hop(lists(31, '{"a":1.0}'))).toBe(lists(31, '{"a":1.0}'));
    expect(parseJson(lists(32, '{"a":1.0}'))).toEqual(refused(32));
  });
  it('does not count brackets in texts and names', () => {
    const text = JSON.stringify({ [lists(40)]: objects(40), b: `\\"${'['.repeat(40)}\\` });
    expect(hop(text)).toBe(text);
  });
  it('does count what comes after a text that ends in backslashes', () => {
    expect(parseJson(`["\\\\",${lists(32)}]`)).toEqual(refused(32));
    expect(parseJson(`["\\"",${lists(32)}]`)).toEqual(refused(32));
    expect(parseJson(`["",${lists(32)}]`)).toEqual(refused(32));
  });
  it('of any other bound', () => {
    expect(hop('[[1]]', 2)).toBe('[[1]]');
    expect(parseJson('[[[1]]]', 2)).toEqual(refused(2));
    expect(parseJson('5', 0)).toEqual({ ok: true, value: 5 });
    expect(parseJson('[]', 0)).toEqual(refused(0));
  });
  it('too deep for keeping numbers, where the caller allows it, is read all the same', () => {
    expect(parseJson(lists(100_000, '1.0'), Number.POSITIVE_INFINITY)).toMatchObject({ ok: true });
  });
  it('takes a moment only', { timeout: 5000 }, () => {
    expect(parseJson('"'.repeat(500_000)).ok).toBe(false);
    expect(parseJson('['.repeat(500_000)).ok).toBe(false);
    expect(parseJson('-'.repeat(500_000)).ok).toBe(false);
    expect(parseJson('\\'.repeat(500_000)).ok).toBe(false);
    expect(parseJson('1'.repeat(500_000)).ok).toBe(true);
  });
});

describe('nestsWithin', () => {
  it.each([lists(3), objects(3), '{"a":[{"b":1}]}', '[1,[2,[3.0]]]'])('counts as parseJson does: %s', (text) => {
    const parsed = parseJson(text);
    const value = parsed.ok ? parsed.value : undefined;
    expect(nestsWithin(value, 3)).toBe(true);
    expect(nestsWithin(value, 2)).toBe(false);
  });
  it.each([null, 1, 'x', true, undefined])('%j does not nest', (value) => {
    expect(nestsWithin(value, 0)).toBe(true);
  });
  it('stops where it is too deep', () => {
    expect(nestsWithin(JSON.parse(lists(100_000)), 32)).toBe(false);
  });
});

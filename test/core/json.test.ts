import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isKeptNumber, parseJson } from '#core/json.ts';

/** What leaves again after one hop. */
function hop(text: string): string {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return JSON.stringify(parsed.value);
}
describe('every hop keeps, byte for byte (T2)', () => {
  it.each([
    '1.0',
    '-1.0',
    '-0',
    '0.0',
    '0e0',
    '1e2',
    '1E2',
    '1e+2',
    '1e999',
    '-1e-999',
    '1e21',
    '0.1e1',
    '1.10',
    '12345678901234567890',
    '9007199254740993',
    '-9007199254740993',
    '0.1000000000000000055511151231257827',
    '[1.0,2,3.50]',
    '{"a":1.0,"b":{"c":[-0]}}',
    '{"a":"1.0","b":1.0}',
    '{"__proto__":1.0}',
    '{"a":[],"b":{},"c":1.0}',
    '"\\ud800"',
    '"x\\udc00y"',
    '"\\u0000\\u0001\\u001f"',
    '"\uffff\ufffe"',
    '"\u{10ffff}😀"',
    '"\u2028\u2029\u007f\u0085\ufeff"',
    '{"__proto__":{"a":1},"constructor":{"prototype":1}}',
    '{"":"","toString":1,"length":2}',
    '{"rawJSON":"1.0"}',
    '{"rawJSON":"1.0","n":1.0}',
    '"[[[[{{{{"',
    '"a\\\\"',
    '["\\"[",1.0]',
    '"1.0"',
    'true',
    'null',
    '""',
    '[]',
    '{}',
    '0',
    '10',
    '-10',
    '1.5',
    '1e-7',
    '123456789012345680000',
  ])('%j', (text) => {
    expect(hop(text)).toBe(text);
    expect(hop(hop(text))).toBe(text);
  });

  it('white space around an odd number', () => {
    expect(hop(' [ 1.0 ,\n2.0\t] ')).toBe('[1.0,2.0]');
  });
  it('the last of a key that comes twice, as JSON.parse does', () => {
    expect(hop('{"a":1.0,"a":2}')).toBe('{"a":2}');
    expect(hop('{"a":2,"a":1.0}')).toBe('{"a":1.0}');
  });

  it('whatever JSON.stringify writes', () => {
    const values = fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' });
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        expect(hop(text)).toBe(text);
        expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('numbers however they are written, wherever they stand', () => {
    const digits = (min: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: 22 });
    const whole = digits(1).map((text) => text.replace(/^0+(?=\d)/, ''));
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        whole,
        fc.option(
          digits(1).map((text) => `.${text}`),
          { nil: '' },
        ),
        fc.option(
          fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), digits(1)).map((parts) => parts.join('')),
          { nil: '' },
        ),
      )
      .map((parts) => parts.join(''));
    // Keys that are no array index: those are put in front by every JavaScript object.
    const key = fc.string({ unit: 'binary', maxLength: 5 }).map((text) => JSON.stringify(`k${text}`));
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        number,
        fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
        fc.array(tie('tree'), { maxLength: 4 }).map((parts) => `[${parts.join(',')}]`),
        fc
          .uniqueArray(fc.tuple(key, tie('tree')), { maxLength: 4, selector: ([name]) => name })
          .map((parts) => `{${parts.map(([name, part]) => `${name}:${part}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(tree, (text) => {
        expect(hop(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

it.each([
  ['{"a":[1,-2,2.5,1e-7,0],"b":"1.0"}', 1],
  ['{"a":1.0}', 2],
])('a reviver is paid for only where a number needs it: %s', (text, parameters) => {
  const parse = vi.spyOn(JSON, 'parse');
  parseJson(text);
  const calls = parse.mock.calls.map((given) => given.length);
  parse.mockRestore();
  expect(calls).toEqual([parameters]);
});

it('what needs no keeping is plain JSON.parse’s', () => {
  expect(parseJson('{"a":[1,"x",null,true,-2.5]}')).toEqual({ ok: true, value: { a: [1, 'x', null, true, -2.5] } });
  expect(parseJson('1e999')).not.toEqual({ ok: true, value: Number.POSITIVE_INFINITY });
});

it.each([
  '',
  ' ',
  '{',
  '[1',
  '[1,]',
  '{"a":1,}',
  "{'a':1}",
  'undefined',
  'NaN',
  '-',
  '[-]',
  '[-,1.0]',
  '01',
  '1.',
  '.5',
  '+1',
  '1.0.0',
  '1e5e5',
  '[1.0}',
  '0x10',
  '"',
  '"\\"',
  '"a\nb"',
  '"\\x41"',
  '[1.0] x',
  '\ufeff{}',
  ']'.repeat(40),
  `${']'.repeat(40)}${'['.repeat(40)}`,
])('%j is not JSON', (text) => {
  expect(parseJson(text)).toEqual({ ok: false, why: 'not JSON' });
});

it('isKeptNumber tells a kept number from an object that looks like one', () => {
  const parsed = parseJson('[1.0,1,{"rawJSON":"1.0"}]');
  expect(parsed.ok && (parsed.value as unknown[]).map(isKeptNumber)).toEqual([true, false, false]);
});

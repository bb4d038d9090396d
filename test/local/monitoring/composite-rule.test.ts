import { describe, expect, it, test } from 'vitest';
import { TemplateError } from '../../../infra/local/intrinsics.ts';
import { parseCompositeRule } from '../../../infra/local/monitoring/composite-rule.ts';

const STATES = { a: 'ALARM', b: 'OK', c: 'INSUFFICIENT_DATA' } as const;
const holds = (rule: string) => parseCompositeRule(rule, 'C').holds((name) => STATES[name as keyof typeof STATES]);

describe('where a fires, b is well and c is unknown', () => {
  test.each([
    ['ALARM("a")', true],
    ['ALARM("b")', false],
    ['OK("b")', true],
    ['INSUFFICIENT_DATA("c")', true],
    ['NOT ALARM("c")', true],
    ['ALARM("b") OR ALARM("a")', true],
    ['ALARM("a") AND ALARM("b")', false],
    // AND binds tighter than OR, and NOT tightest.
    ['ALARM("a") OR ALARM("a") AND ALARM("b")', true],
    ['(ALARM("a") OR ALARM("a")) AND ALARM("b")', false],
    ['NOT ALARM("b") AND NOT (ALARM("b") OR OK("a"))', true],
    ['not alarm("b")', true],
    ['TRUE AND NOT FALSE', true],
    ['ALARM("arn:aws:cloudwatch:us-east-1:000000000000:alarm:a")', true],
    ['(ALARM("b")\n  OR\tALARM("a"))  ', true],
  ])('%s is %s', (rule, expected) => {
    expect(holds(rule)).toBe(expected);
  });
});

it('tells which alarms it is made of', () => {
  expect([...parseCompositeRule('ALARM("a") OR NOT (OK("b c"))', 'C').alarms]).toEqual(['a', 'b c']);
});

test.each([
  ['', 'an alarm expected, not its end'],
  ['ALARM("a") OR', 'an alarm expected, not its end'],
  ['ALARM(a)', 'the name of an alarm expected, not a'],
  ['ALARM("a"', ') expected, not its end'],
  ['(ALARM("a")', ') expected, not its end'],
  ['ALARM("a") ALARM("b")', 'its end expected, not ALARM'],
  ['AT_LEAST("a")', 'an alarm expected, not AT_LEAST'],
  ['ALARM("a") & ALARM("b")', '" & ALARM("b")" cannot be read'],
])('%j is refused: %s', (rule, problem) => {
  expect(() => parseCompositeRule(rule, 'C')).toThrow(new TemplateError('C', `AlarmRule: ${problem}`));
});

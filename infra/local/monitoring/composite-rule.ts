import { TemplateError } from '../intrinsics.ts';
import type { AlarmState } from './alarm-evaluation.ts';

/** What a composite alarm is made of; `states` tells the state of an alarm by its name. */
export type CompositeRule = { alarms: ReadonlySet<string>; holds(states: (name: string) => AlarmState): boolean };
type Holds = CompositeRule['holds'];

const TOKEN = /\s*(\(|\)|"(?:[^"\\]|\\.)*"|[A-Za-z_]+)/y;
const STATES = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];
/** An alarm may be named by its ARN. */
const ARN_PREFIX = /^arn:[^:]*:cloudwatch:[^:]*:[^:]*:alarm:/;

/**
 * Reads an `AlarmRule`: `ALARM("a") AND NOT (OK("b") OR INSUFFICIENT_DATA("c"))`; NOT binds tightest, then AND.
 * @param at the logical id that an error names
 * @throws TemplateError
 */
export function parseCompositeRule(rule: string, at: string): CompositeRule {
  const tokens = tokensOf(rule, at);
  const alarms = new Set<string>();
  const fail = (expected: string, found = tokens[0]): never => {
    throw new TemplateError(at, `AlarmRule: ${expected} expected, not ${found ?? 'its end'}`);
  };
  const take = (token: string) => tokens[0]?.toUpperCase() === token && tokens.shift() !== undefined;
  const expect = (token: string) => take(token) || fail(token);

  function anyOf(): Holds {
    const parts = [allOf()];
    while (take('OR')) parts.push(allOf());
    return (states) => parts.some((holds) => holds(states));
  }
  function allOf(): Holds {
    const parts = [single()];
    while (take('AND')) parts.push(single());
    return (states) => parts.every((holds) => holds(states));
  }
  function single(): Holds {
    if (take('NOT')) {
      const holds = single();
      return (states) => !holds(states);
    }
    if (take('TRUE')) return () => true;
    if (take('FALSE')) return () => false;
    if (take('(')) {
      const holds = anyOf();
      expect(')');
      return holds;
    }
    return hasState(STATES.find(take) ?? fail('an alarm'));
  }
  function hasState(state: string): Holds {
    expect('(');
    const quoted = tokens.shift();
    if (!quoted?.startsWith('"')) return fail('the name of an alarm', quoted);
    expect(')');
    const name = String(JSON.parse(quoted)).replace(ARN_PREFIX, '');
    alarms.add(name);
    return (states) => states(name) === state;
  }

  const holds = anyOf();
  if (tokens.length > 0) fail('its end');
  return { alarms, holds };
}

function tokensOf(rule: string, at: string): string[] {
  const tokens: string[] = [];
  const text = rule.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new TemplateError(at, `AlarmRule: "${text.slice(start)}" cannot be read`);
    tokens.push(token);
  }
  return tokens;
}

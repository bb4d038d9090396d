/** The template holds something that the local stack does not know; the message begins with the logical id. */
export class TemplateError extends Error {
  override name = 'TemplateError';
  constructor(at: string, problem: string) {
    super(`${at}: ${problem}`);
  }
}

/** What intrinsic functions ask a template for. `at` is the logical id that an error names. */
export type Scope = {
  ref(name: string, at: string): unknown;
  attribute(logicalId: string, attribute: string, at: string): string;
  holds(condition: string, at: string): boolean;
};

/** The value with every intrinsic function in it replaced; `AWS::NoValue` takes its property or entry away. */
export function resolveValue(value: unknown, scope: Scope, at: string): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => resolveValue(entry, scope, at)).filter((entry) => entry !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name !== undefined && (name === 'Ref' || name.startsWith('Fn::'))) {
    return resolveIntrinsic(name, argument, scope, at);
  }
  const resolved = entries.map(([key, entry]) => [key, resolveValue(entry, scope, at)] as const);
  return Object.fromEntries(resolved.filter(([, entry]) => entry !== undefined));
}

/** Is the definition of a condition true? */
export function evaluateCondition(definition: unknown, scope: Scope, at: string): boolean {
  const [name = 'nothing', argument] = Object.entries(definition ?? {})[0] ?? [];
  const parts = () => asList(argument, name, at);
  switch (name) {
    case 'Condition':
      return scope.holds(String(argument), at);
    case 'Fn::Equals': {
      const [left, right] = asList(resolveValue(argument, scope, at), name, at);
      return left === right;
    }
    case 'Fn::Not':
      return !evaluateCondition(parts()[0], scope, at);
    case 'Fn::And':
      return parts().every((part) => evaluateCondition(part, scope, at));
    case 'Fn::Or':
      return parts().some((part) => evaluateCondition(part, scope, at));
    default:
      throw new TemplateError(at, `${name} is not supported by the local stack`);
  }
}

function resolveIntrinsic(name: string, argument: unknown, scope: Scope, at: string): unknown {
  const resolve = (value: unknown) => resolveValue(value, scope, at);
  switch (name) {
    case 'Ref':
      return scope.ref(asText(argument, name, at), at);
    case 'Fn::GetAtt':
      return getAtt(Array.isArray(argument) ? argument.join('.') : asText(argument, name, at), scope, at);
    case 'Fn::Join': {
      const [separator, parts] = asList(argument, name, at);
      const texts = asList(resolve(parts), name, at).map((part) => asText(part, name, at));
      return texts.join(asText(separator, name, at));
    }
    case 'Fn::Split': {
      const [separator, whole] = asList(argument, name, at);
      return asText(resolve(whole), name, at).split(asText(separator, name, at));
    }
    case 'Fn::Select': {
      const [index, from] = asList(argument, name, at);
      const selected = asList(resolve(from), name, at)[Number(resolve(index))];
      if (selected === undefined) throw new TemplateError(at, `${name} selects what is not there`);
      return selected;
    }
    case 'Fn::Sub':
      return substitute(argument, scope, at);
    case 'Fn::If': {
      const [condition, yes, no] = asList(argument, name, at);
      return resolve(scope.holds(asText(condition, name, at), at) ? yes : no);
    }
    default:
      throw new TemplateError(at, `${name} is not supported by the local stack`);
  }
}

function getAtt(path: string, scope: Scope, at: string): string {
  const dot = path.indexOf('.');
  return scope.attribute(path.slice(0, dot), path.slice(dot + 1), at);
}

function substitute(argument: unknown, scope: Scope, at: string): string {
  const [pattern, variables = {}] = Array.isArray(argument) ? argument : [argument];
  const given = resolveValue(variables, scope, at) as Record<string, unknown>;
  const lookUp = (name: string): unknown => {
    if (Object.hasOwn(given, name)) return given[name];
    return name.includes('.') ? getAtt(name, scope, at) : scope.ref(name, at);
  };
  return asText(pattern, 'Fn::Sub', at).replace(/\$\{(!?)([^}]+)\}/g, (_whole, literal: string, name: string) =>
    literal ? `\${${name}}` : asText(lookUp(name), 'Fn::Sub', at),
  );
}

function asList(value: unknown, name: string, at: string): unknown[] {
  if (!Array.isArray(value)) throw new TemplateError(at, `${name} does not have a list`);
  return value;
}

function asText(value: unknown, name: string, at: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new TemplateError(at, `${name} has something that is not a text`);
}

import { TemplateError } from '../intrinsics.ts';

/** What somebody wants to do: an action such as `dynamodb:GetItem`, on a resource's ARN. */
export type Call = { action: string; resource: string };
/** One action on one resource of a statement, as they are written there. */
export type Rule = {
  effect: 'Allow' | 'Deny';
  action: string;
  resource: string;
  policy: 'identity-based' | 'resource-based';
  appliesTo(call: Call): boolean;
};
export type Verdict = { allowed: true; by: Rule[] } | { allowed: false; because: string };

type Kind = Rule['policy'];
type Statement = Readonly<Record<string, unknown>>;

const STATEMENT_FIELDS: Record<Kind, readonly string[]> = {
  'identity-based': ['Sid', 'Effect', 'Action', 'Resource', 'Condition'],
  'resource-based': ['Sid', 'Effect', 'Action', 'Resource', 'Condition', 'Principal'],
};
/**
 * What a condition may ask about a call. On AWS every call of a function comes over TLS; the loopback is plain HTTP
 * because nothing on it leaves the machine, and the same calls must pass here.
 */
const CALL_CONTEXT: Readonly<Record<string, boolean>> = { 'aws:securetransport': true };
/** `*`, or an ARN whose wildcards are all in its last part; a policy variable (`${…}`) would be taken literally. */
const RESOURCE = /^(\*|arn(:[^:*?]*){4}:(?!.*\$\{).+)$/;
const ACTION = /^(\*|[a-z0-9-]+:[\w*?]+)$/i;

/**
 * The rules of a policy document whose intrinsics are resolved.
 * @throws TemplateError for what is not evaluated here: better no local stack than one that allows what AWS would not
 */
export function rulesOf(document: unknown, kind: Kind, at: string): Rule[] {
  return listOf((document as Statement | undefined)?.Statement).flatMap((one) => {
    const statement = one as Statement;
    const fields = STATEMENT_FIELDS[kind];
    const stranger = Object.keys(statement).find((field) => !fields.includes(field));
    if (stranger) throw new TemplateError(at, `${stranger} in a statement is not supported by the local stack`);
    const effect = effectOf(statement, kind, at);
    const holds = conditionHolds(statement.Condition, at);
    const resources = patterns(statement.Resource, RESOURCE, 'Resource', at);
    return patterns(statement.Action, ACTION, 'Action', at).flatMap((action) =>
      resources.map((resource) => rule({ effect, action, resource, policy: kind }, holds)),
    );
  });
}

/** IAM's own order: an explicit deny wins, then any allow, and what nobody allows is denied. */
export function judge(rules: readonly Rule[], call: Call): Verdict {
  const applying = rules.filter((rule) => rule.appliesTo(call));
  const deny = applying.find(({ effect }) => effect === 'Deny');
  if (deny) return { allowed: false, because: `with an explicit deny in ${article(deny.policy)} policy` };
  if (applying.length > 0) return { allowed: true, by: applying };
  return { allowed: false, because: `because no identity-based policy allows the ${call.action} action` };
}

function rule(stated: Omit<Rule, 'appliesTo'>, holds: boolean): Rule {
  // IAM takes actions without regard to case, and resources exactly.
  const action = wildcards(stated.action, 'i');
  const resource = wildcards(stated.resource);
  return { ...stated, appliesTo: (call) => holds && action.test(call.action) && resource.test(call.resource) };
}

/** A resource's policy may only deny, and everybody: whom it would allow is nobody that the local stack knows. */
function effectOf({ Effect, Principal }: Statement, kind: Kind, at: string): Rule['effect'] {
  const everybody = Principal === '*' || JSON.stringify(Principal) === '{"AWS":"*"}';
  const known = kind === 'identity-based' ? ['Allow', 'Deny'] : everybody ? ['Deny'] : [];
  if (known.includes(String(Effect))) return Effect as Rule['effect'];
  const whom = kind === 'identity-based' ? '' : ` for ${JSON.stringify(Principal)} in a resource's policy`;
  throw new TemplateError(at, `Effect ${JSON.stringify(Effect)}${whom} is not supported by the local stack`);
}

/** What is known of a call never changes, so a condition is decided once. */
function conditionHolds(condition: unknown, at: string): boolean {
  const { Bool = {}, ...others } = (condition ?? {}) as Record<string, Record<string, unknown>>;
  const stranger = Object.keys(others)[0] ?? Object.keys(Bool).find((key) => contextOf(key) === undefined);
  if (stranger) throw new TemplateError(at, `the condition ${stranger} is not supported by the local stack`);
  return Object.entries(Bool).every(([key, value]) =>
    listOf(value).some((one) => String(one).toLowerCase() === String(contextOf(key))),
  );
}

function contextOf(key: string): boolean | undefined {
  return CALL_CONTEXT[key.toLowerCase()];
}

function patterns(value: unknown, form: RegExp, field: string, at: string): string[] {
  const texts = listOf(value);
  if (texts.length > 0 && texts.every((text) => typeof text === 'string' && form.test(text))) return texts as string[];
  throw new TemplateError(at, `${field} ${JSON.stringify(value)} is not supported by the local stack`);
}

function wildcards(pattern: string, flags = ''): RegExp {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, `s${flags}`);
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function article(kind: Kind): string {
  return `${kind === 'identity-based' ? 'an' : 'a'} ${kind}`;
}

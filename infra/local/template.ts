import { evaluateCondition, resolveValue, type Scope, TemplateError } from './intrinsics.ts';

export type Resource = { Type: string; Properties?: Record<string, unknown>; Condition?: string };
export type TemplateJson = {
  Resources?: Record<string, Resource>;
  Parameters?: Record<string, { Type?: string; Default?: unknown }>;
  Conditions?: Record<string, unknown>;
  Outputs?: Record<string, { Value: unknown }>;
  [section: string]: unknown;
};
export type Environment = { region: string; accountId: string; stackName: string };

/** Rules only guard a real deployment; the others are prose. */
const UNREAD_SECTIONS = ['AWSTemplateFormatVersion', 'Description', 'Metadata', 'Rules'];
const SECTIONS = new Set(['Resources', 'Parameters', 'Conditions', 'Outputs', ...UNREAD_SECTIONS]);

/** A synthesized CloudFormation template: its resources, and the values of everything in them. */
export class Template {
  /** Those whose condition holds, by logical id. */
  readonly resources: ReadonlyMap<string, Resource>;
  readonly #json: TemplateJson;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #pseudoParameters: ReadonlyMap<string, string | undefined>;
  readonly #attributes = new Map<string, Readonly<Record<string, string>>>();
  readonly #scope: Scope = {
    ref: (name, at) => this.#ref(name, at),
    attribute: (logicalId, attribute, at) => this.attribute(logicalId, attribute, at),
    holds: (condition, at) => this.#holds(condition, at),
  };

  /** @param parameters values for the template's parameters; the others have their defaults */
  constructor(json: TemplateJson, environment: Environment, parameters: Readonly<Record<string, string>> = {}) {
    this.#json = json;
    this.#parameters = parameters;
    this.#pseudoParameters = pseudoParameters(environment);
    const section = Object.keys(json).find((name) => !SECTIONS.has(name));
    if (section) throw new TemplateError(section, 'this section of a template is not supported by the local stack');
    const stranger = Object.keys(parameters).find((name) => !json.Parameters?.[name]);
    if (stranger) throw new TemplateError(stranger, 'the template has no such parameter');
    this.resources = new Map(
      Object.entries(json.Resources ?? {}).filter(([id, { Condition }]) => !Condition || this.#holds(Condition, id)),
    );
  }

  ofType(type: string): string[] {
    return [...this.resources].filter(([, resource]) => resource.Type === type).map(([logicalId]) => logicalId);
  }

  /**
   * Says what `Ref` and the attributes of a resource are. All get their names before anything is created, since
   * references may point in any direction.
   */
  name(logicalId: string, attributes: { Ref: string; [attribute: string]: string }): void {
    this.#attributes.set(logicalId, attributes);
  }

  /** What GetAtt gives, or Ref where `attribute` is `Ref`. */
  attribute(logicalId: string, attribute: string, at: string): string {
    const value = this.#attributes.get(logicalId)?.[attribute];
    if (value !== undefined) return value;
    const type = this.#json.Resources?.[logicalId]?.Type ?? 'no resource of this template';
    throw new TemplateError(at, `${logicalId}.${attribute} (${type}) has no value in the local stack`);
  }

  /** A resource's property with every intrinsic function replaced by its value; `undefined` where it is not set. */
  property(logicalId: string, name: string): unknown {
    return resolveValue(this.resources.get(logicalId)?.Properties?.[name], this.#scope, logicalId);
  }

  /** Like `property`, and it must be a text. */
  text(logicalId: string, name: string): string {
    const value = this.property(logicalId, name);
    if (typeof value === 'string') return value;
    throw new TemplateError(logicalId, `${name} is not a text`);
  }

  /** The logical id of the one resource whose `attribute` is `value`: ARNs and URLs lead back to what they name. */
  resourceWith(attribute: string, value: unknown, at: string): string {
    for (const [logicalId, attributes] of this.#attributes) if (attributes[attribute] === value) return logicalId;
    throw new TemplateError(at, `${value} is no resource of this stack`);
  }

  output(name: string): string {
    const at = `Outputs.${name}`;
    const value = resolveValue(this.#json.Outputs?.[name]?.Value, this.#scope, at);
    if (typeof value === 'string') return value;
    throw new TemplateError(at, 'the stack has no such output');
  }

  #ref(name: string, at: string): unknown {
    if (this.#pseudoParameters.has(name)) return this.#pseudoParameters.get(name);
    const parameter = this.#json.Parameters?.[name];
    if (!parameter) return this.attribute(name, 'Ref', at);
    const value = this.#parameters[name] ?? parameter.Default;
    if (value === undefined) throw new TemplateError(at, `the parameter ${name} has neither a value nor a default`);
    if (parameter.Type === 'String' || parameter.Type === 'Number') return String(value);
    throw new TemplateError(at, `the parameter ${name} is of the type ${parameter.Type}, unknown to the local stack`);
  }

  #holds(condition: string, at: string): boolean {
    const definition = this.#json.Conditions?.[condition];
    if (definition === undefined) throw new TemplateError(at, `the condition ${condition} is not defined`);
    return evaluateCondition(definition, this.#scope, `Conditions.${condition}`);
  }
}

function pseudoParameters({ region, accountId, stackName }: Environment): Map<string, string | undefined> {
  return new Map([
    ['AWS::Region', region],
    ['AWS::AccountId', accountId],
    ['AWS::Partition', 'aws'],
    ['AWS::URLSuffix', 'amazonaws.com'],
    ['AWS::StackName', stackName],
    ['AWS::StackId', `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/local`],
    ['AWS::NoValue', undefined],
  ]);
}

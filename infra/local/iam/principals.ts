import { ACCOUNT_ID } from '../resource-names.ts';
import type { Template } from '../template.ts';
import { type Rule, rulesOf } from './policy.ts';

/** Who calls: a session of one of the template's roles. */
export type Principal = {
  /** A function's logical id or the name of a runner's role: its access key id here, and its name in the log. */
  name: string;
  /** As AWS shows it, `arn:aws:sts::<account>:assumed-role/<role>/<session>`. */
  arn: string;
  /** Of its role's policies, and the denials of the resources. */
  rules: readonly Rule[];
};
export type Principals = {
  functions: readonly Principal[];
  /** By the runner's name. */
  runners: ReadonlyMap<string, Principal>;
};

const RUNNER_ROLES = 'RunnerRoleArns';

/**
 * Everybody who acts with a role of the template.
 * @throws TemplateError for a policy that cannot be followed, whoever has it
 */
export function principalsOf(template: Template): Principals {
  const roles = rulesByRole(template);
  const session = (name: string, roleId: string, sessionName: string): Principal => {
    const roleName = template.attribute(roleId, 'Ref', roleId);
    const arn = `arn:aws:sts::${ACCOUNT_ID}:assumed-role/${roleName}/${sessionName}`;
    return { name, arn, rules: roles.get(roleId) ?? [] };
  };
  const functions = template.ofType('AWS::Lambda::Function').map((logicalId) => {
    const roleId = template.resourceWith('Arn', template.text(logicalId, 'Role'), logicalId);
    return session(logicalId, roleId, template.attribute(logicalId, 'Ref', logicalId));
  });
  const roleArns = JSON.parse(template.output(RUNNER_ROLES)) as Record<string, string>;
  const runners = Object.entries(roleArns).map(([runner, roleArn]) => {
    const roleId = template.resourceWith('Arn', roleArn, `Outputs.${RUNNER_ROLES}`);
    return [runner, session(template.attribute(roleId, 'Ref', roleId), roleId, 'local')] as const;
  });
  return { functions, runners: new Map(runners) };
}

/** Roles that share a policy share its rules: who uses a grant uses it for all that have it. */
function rulesByRole(template: Template): Map<string, Rule[]> {
  const denials = template
    .ofType('AWS::SQS::QueuePolicy')
    .flatMap((id) => rulesOf(template.property(id, 'PolicyDocument'), 'resource-based', id));
  const roles = new Map(
    template.ofType('AWS::IAM::Role').map((id) => [id, [...inlineRules(template, id), ...denials]]),
  );
  for (const id of template.ofType('AWS::IAM::Policy')) {
    const rules = rulesOf(template.property(id, 'PolicyDocument'), 'identity-based', id);
    for (const name of template.property(id, 'Roles') as string[]) {
      roles.get(template.resourceWith('Ref', name, id))?.push(...rules);
    }
  }
  return roles;
}

function inlineRules(template: Template, roleId: string): Rule[] {
  const policies = (template.property(roleId, 'Policies') ?? []) as { PolicyDocument?: unknown }[];
  return policies.flatMap(({ PolicyDocument }) => rulesOf(PolicyDocument, 'identity-based', roleId));
}

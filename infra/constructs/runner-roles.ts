import { Stack, Validations } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  AccountRootPrincipal,
  ArnPrincipal,
  CompositePrincipal,
  type PrincipalBase,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ConfigError, type Stage } from '../config.ts';
import { permitRunner } from '../permissions.ts';
import type { RunnerRoute } from './http-gateway.ts';

const ROLE_NAME_LIMIT = 64;

/**
 * A runner's role is named with this and the runner's name, so the runner API reads from a caller's ARN,
 * `arn:aws:sts::<account>:assumed-role/<prefix><runner>/<session>`, which runner calls.
 */
export function runnerRolePrefix(stack: Stack): string {
  return `${stack.stackName}-runner-`;
}

export type RunnerRolesProps = { stage: Stage; queues: ReadonlyMap<string, Queue>; routes: readonly RunnerRoute[] };

/**
 * One role per configured runner. Not a policy for the operator to attach: the caller's ARN would then hold a name that
 * the operator chose, and nothing would tie a call to one runner.
 */
export class RunnerRoles extends Construct {
  /** A JSON object of name to ARN. */
  readonly arns: string;

  constructor(scope: Construct, id: string, { stage, queues, routes }: RunnerRolesProps) {
    super(scope, id);
    const arns = [...queues].map(([runner, queue]) => {
      const role = this.roleOf(runner, stage.runners[runner]?.trusted);
      permitRunner(role, { routeArns: routes.map(({ arn }) => arn), queueArn: queue.queueArn });
      acknowledgeThreadsInPaths(role, routes);
      return [runner, role.roleArn];
    });
    this.arns = Stack.of(this).toJsonString(Object.fromEntries(arns));
  }

  private roleOf(runner: string, trusted: readonly string[] | undefined): Role {
    const roleName = `${runnerRolePrefix(Stack.of(this))}${runner}`;
    if (roleName.length > ROLE_NAME_LIMIT) {
      throw new ConfigError(
        `The role ${roleName} would have a name of ${roleName.length} characters, and IAM takes ${ROLE_NAME_LIMIT}: ` +
          "shorten the stage's or the runner's name in infra/config.ts.",
      );
    }
    return new Role(this, runner, {
      roleName,
      description: `The agent runner "${runner}": calls the runner API and reads its own queue.`,
      assumedBy: trusted
        ? new CompositePrincipal(...(trusted.map(principalOf) as [PrincipalBase]))
        : new AccountRootPrincipal(),
    });
  }
}

/** The three forms that infra/config.ts lets through. */
function principalOf(trusted: string): PrincipalBase {
  if (trusted.startsWith('arn:')) return new ArnPrincipal(trusted);
  return trusted.endsWith('.com') ? new ServicePrincipal(trusted) : new AccountPrincipal(trusted);
}

function acknowledgeThreadsInPaths(role: Role, routes: readonly RunnerRoute[]): void {
  for (const { arnInFinding } of routes) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${arnInFinding}]`,
      reason:
        'The path holds the ids of thread and prompt, which nobody knows at deployment; method and call are exact.',
    });
  }
}

/** Who calls, as API Gateway's IAM authorizer tells it. */
export type IamCaller = { userArn: string; accountId: string };

const ASSUMED_ROLE = /^arn:aws[a-z-]*:sts::(\d{12}):assumed-role\/([^/]+)\/[^/]+$/;

/**
 * The runner that calls. The stack makes a role for each configured runner, named `rolePrefix` and the runner's name.
 * @param accountId the stack's own: a role of that name in another account is somebody else's
 * @returns undefined for a caller that is no runner of this stack
 */
export function callingRunner(
  caller: IamCaller | undefined,
  accountId: string,
  rolePrefix: string,
): string | undefined {
  const [, account, role] = ASSUMED_ROLE.exec(caller?.userArn ?? '') ?? [];
  if (account !== accountId || !role?.startsWith(rolePrefix)) return undefined;
  return role.slice(rolePrefix.length) || undefined;
}

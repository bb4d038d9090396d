import { describe, expect, it } from 'vitest';
import { callingRunner } from '../../functions/runner-api/caller.ts';

const ACCOUNT = '111122223333';
const caller = (userArn: string) => callingRunner({ userArn, accountId: ACCOUNT }, ACCOUNT, 'Prompts-runner-');

describe('the calling runner is read from its role', () => {
  it.each([
    ['arn:aws:sts::111122223333:assumed-role/Prompts-runner-default/i-0abc', 'default'],
    ['arn:aws-cn:sts::111122223333:assumed-role/Prompts-runner-eu-west/session@host', 'eu-west'],
  ])('%s', (arn, runner) => expect(caller(arn)).toBe(runner));

  it.each([
    ['a role of that name in another account', 'arn:aws:sts::999922223333:assumed-role/Prompts-runner-default/x'],
    ['another role', 'arn:aws:sts::111122223333:assumed-role/Admin/Prompts-runner-default'],
    ['a user of that name', 'arn:aws:iam::111122223333:user/Prompts-runner-default'],
    ['a role without a runner in its name', 'arn:aws:sts::111122223333:assumed-role/Prompts-runner-/x'],
    ['a path before the name', 'arn:aws:sts::111122223333:assumed-role/evil/Prompts-runner-default/x'],
    ['no ARN', 'default'],
    ['nothing', ''],
  ])('but not from %s', (_, arn) => expect(caller(arn)).toBeUndefined());

  it('and nobody calls where the authorizer says nothing', () => {
    expect(callingRunner(undefined, ACCOUNT, 'Prompts-runner-')).toBeUndefined();
  });
});

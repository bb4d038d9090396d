import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../infra/config.ts';
import { readable, synthesize } from './synthesized-stack.ts';

const ROLE = 'arn:aws:iam::111122223333:role/build/agents';
const trusted = [ROLE, '444455556666', 'ecs-tasks.amazonaws.com'];
const stack = synthesize({ runners: { default: {}, research: { trusted } } });
const API = 'arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:HttpApi/$default/POST/v1/threads/*/*/*';

describe.each(['default', 'research'])('the role of the runner "%s"', (runner) => {
  const { id, Properties } = stack.named(`RunnerRoles${runner}`);

  test('has a name from which the runner API can tell the runner', () => {
    const { Variables } = stack.named('RunnerApiFunction').Properties.Environment;
    expect(Properties.RoleName).toBe(`${Variables.RUNNER_ROLE_PREFIX}${runner}`);
    expect(Properties.RoleName).toBe(`InteractivePrompts-runner-${runner}`);
  });

  test('may make the four calls and receive from its own queue, and nothing else', () => {
    const queue = `RunnerQueues${runner}runnerQueue`;
    expect(stack.grantsOfRole(id)).toEqual([
      `execute-api:Invoke ${API}/attach`,
      `execute-api:Invoke ${API}/prompts`,
      `execute-api:Invoke ${API}/prompts/*/ack`,
      `execute-api:Invoke ${API}/prompts/*/cancel`,
      `sqs:ChangeMessageVisibility ${queue}`,
      `sqs:DeleteMessage ${queue}`,
      `sqs:GetQueueAttributes ${queue}`,
      `sqs:ReceiveMessage ${queue}`,
    ]);
  });
});

test('the four calls are the routes that ask IAM', () => {
  const routes = stack.ofType('AWS::ApiGatewayV2::Route').filter((r) => r.Properties.AuthorizationType === 'AWS_IAM');
  const resources = routes.map(({ Properties }) =>
    Properties.RouteKey.replace('POST ', '').replaceAll(/\{\w+\}/g, '*'),
  );
  const callable = stack.grantsOfRole(stack.named('RunnerRolesdefault').id).filter((grant) => grant.includes(API));
  expect(callable).toEqual(resources.map((path) => `execute-api:Invoke ${API.split('/v1')[0]}${path}`).sort());
});

describe('who may take a role on', () => {
  test('is whomever the account lets, where nobody is named', () => {
    expect(trustOf('default')).toEqual(['AWS arn:AWS::Partition:iam::AWS::AccountId:root']);
  });

  test('is exactly who is named', () => {
    expect(trustOf('research')).toEqual([
      `AWS ${ROLE}`,
      'AWS arn:AWS::Partition:iam::444455556666:root',
      'Service ecs-tasks.amazonaws.com',
    ]);
  });
});

test('a name that IAM would refuse fails the synth in one sentence', () => {
  const settings = { runners: { default: {}, [`r${'0'.repeat(29)}`]: {} } };
  const role = `InteractivePrompts-acceptance-runner-r${'0'.repeat(29)}`;
  expect(() => synthesize(settings, 'acceptance')).toThrow(
    new ConfigError(
      `The role ${role} would have a name of 67 characters, and IAM takes 64: ` +
        "shorten the stage's or the runner's name in infra/config.ts.",
    ),
  );
});

function trustOf(runner: string): string[] {
  const { Statement } = stack.named(`RunnerRoles${runner}`).Properties.AssumeRolePolicyDocument;
  expect(Statement).toHaveLength(1);
  expect(Statement[0]).toMatchObject({ Effect: 'Allow', Action: 'sts:AssumeRole' });
  return Object.entries(Statement[0].Principal).flatMap(([kind, who]) =>
    [who].flat().map((principal) => `${kind} ${readable(principal)}`),
  );
}

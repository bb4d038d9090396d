import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlarmStatus } from '../../../infra/local/monitoring/alarm-watch.ts';
import { StopStack } from '../../../infra/local/stop-stack.ts';
import { assembly } from '../../support/assembly.ts';
import { eventually } from '../../support/eventually.ts';
import { startWorld, type World } from '../world.ts';

const PARKED = 'InteractivePrompts-ItemsParked';
const thread = { revision_id: 'rev', session_id: 'ses', alias: 'main' };
const said: string[] = [];
const stops = new StopStack();
let world: World;

beforeAll(async () => {
  const say = (line: string) => said.push(line);
  world = await startWorld(await assembly(), () => {}, stops, { minuteMs: 1000, say });
}, 90_000);
afterAll(() => stops.stopAll());

const metrics = async () => (await fetch(world.stack.addresses.metrics_url)).text();
async function alarms(): Promise<AlarmStatus[]> {
  const response = await fetch(new URL('alarms', world.stack.addresses.metrics_url));
  return ((await response.json()) as { alarms: AlarmStatus[] }).alarms;
}

describe('the local stack, watched as CloudWatch would', () => {
  it('shows an answer in its metrics, from the functions and from AWS alike, and no alarm fires', async () => {
    const questions = [{ question: 'May I?', options: [{ label: 'Approve' }, { label: 'Deny' }] }];
    await world.api.raise(thread, { request_id: 'call', kind: 'approval', questions });
    await world.says(thread, 'yes');
    await world.heard(thread, 'prompt_answered');
    await world.audited(thread);
    const names = ['answered_total{stage="prod",function="resolver"} 1', 'prompt_raised_total'];
    const text = await eventually(async () => {
      const seen = await metrics();
      return names.every((name) => seen.includes(`interactive_prompts_${name}`)) && seen;
    }, 'the answer in the metrics');
    expect(text).toContain('# HELP interactive_prompts_mapped_token_total an approval by one of the seven words\n');
    expect(text).toMatch(/aws_lambda_invocations_total\{function_name="Resolver\w+"\} [1-9]/);
    expect(text).toMatch(/aws_api_gateway_count_total\{api_id="Http\w+"\} [1-9]/);
    expect(text).toMatch(/aws_sqs_approximate_age_of_oldest_message_seconds\{queue_name="Resolver\w+\.fifo"\} /);
    expect(text).toContain(`alarm_firing{alarm="${PARKED}"} 0`);

    await eventually(async () => (await alarms()).every(({ state }) => state === 'OK'), 'all well');
    expect(said).toEqual([]);
  });

  it('counts what the gateway refuses itself', async () => {
    const { runner_api_url } = world.stack.addresses;
    expect((await fetch(`${runner_api_url}/nothing`)).status).toBe(404);
    await eventually(async () => /aws_api_gateway_4xx_total\{api_id="Http\w+"\} 1\n/.test(await metrics()), 'the 404');
  });

  it('an alarm fires in the terminal and ends there, and tells what it means', async () => {
    const QueueUrl = world.stack.addresses.resolver_queue_url;
    const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    await world.operator.send(new SendMessageCommand({ QueueUrl, MessageBody: 'poison', ...ids }));
    const isFiring = async () => (await alarms()).some(({ name, state }) => name === PARKED && state === 'ALARM');
    await eventually(isFiring, 'the alarm');
    const means = 'A message could never be handled and was put aside: what a person wrote may be in it.';
    expect(said).toEqual([`ALARM ${PARKED}: [page] ${means}`]);
    await eventually(() => said.includes(`OK ${PARKED}`), 'its end', 20_000);
  });

  it('has nothing else to show', async () => {
    const response = await fetch(new URL('/', world.stack.addresses.metrics_url));
    expect(response.status).toBe(404);
  });
});

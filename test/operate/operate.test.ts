import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadGroup } from '#adapters/names.ts';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { type Deployment, localDeployment, OperatorError } from '../../infra/operate/deployment.ts';
import { examine } from '../../infra/operate/doctor.ts';
import { findPrompt, listPrompts } from '../../infra/operate/prompts.ts';
import { redrive } from '../../infra/operate/redrive.ts';
import { startWorld, type World } from '../local/world.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';

const thread: Thread = { revision_id: 'rev', session_id: 'operated', alias: 'main' };
const options = [{ label: 'Approve' }, { label: 'Deny' }];
const approval = (request_id: string) => ({
  request_id,
  kind: 'approval' as const,
  questions: [{ question: `${request_id}?`, options }],
});

const stops = new StopStack();
let world: World;
let deployment: Deployment;
beforeAll(async () => {
  world = await startWorld(await assembly(), () => {}, stops);
  const folder = mkdtempSync(path.join(tmpdir(), 'operate-'));
  stops.add(async () => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'addresses.json');
  writeFileSync(file, JSON.stringify(world.stack.addresses));
  deployment = localDeployment(file);
}, 90_000);
afterAll(async () => {
  deployment.dynamodb.destroy();
  deployment.sqs.destroy();
  await stops.stopAll();
});

it('without a stack on this machine it says how to start one', () => {
  expect(() => localDeployment('/nowhere.json')).toThrow(
    new OperatorError('No stack runs on this machine: start it with npm start.'),
  );
});

describe('prompts', () => {
  it('are listed while open, shown whole, and listed again until their outcome is acknowledged', async () => {
    const { prompt } = await world.api.raise(thread, approval('one'));
    const { prompt_id } = prompt;
    expect(await listPrompts(deployment, 'open')).toMatchObject([
      { prompt_id, state: 'open', kind: 'approval', thread, runner: 'default', owed: 'an answer' },
    ]);
    expect(await findPrompt(deployment, prompt_id)).toMatchObject({ thread, prompt: { state: 'open' } });

    await world.says(thread, 'yes');
    await world.heard(thread, 'prompt_answered');
    await world.audited(thread);
    expect(await listPrompts(deployment, 'open')).toEqual([]);
    expect(await listPrompts(deployment, 'unacknowledged')).toMatchObject([{ prompt_id, state: 'answered', thread }]);
    await world.api.ack(thread, prompt_id);
    expect(await listPrompts(deployment, 'unacknowledged')).toEqual([]);

    await expect(findPrompt(deployment, prompt_id)).rejects.toThrow('name its thread with --thread');
    expect(await findPrompt(deployment, prompt_id, thread)).toMatchObject({ prompt: { state: 'answered' } });
    await expect(findPrompt(deployment, 'one')).rejects.toThrow('"one" is no prompt id');
  });
});

describe('a redrive', () => {
  it('puts dead letters back in order; an old "yes" among them does not approve what is open now', async () => {
    const { resolver_dlq_url, resolver_queue_url } = world.stack.addresses;
    const { prompt } = await world.api.raise({ ...thread, alias: 'redriven' }, approval('dangerous'));
    const there = { ...thread, alias: 'redriven' };
    for (const [n, text] of ['yes', 'hello?'].entries()) {
      const created_at = `2026-01-01T00:00:0${n}.000000+00:00`;
      const item = { id: `itm_old_${n}`, created_at, user_id: 'usr_anna', content: [{ type: 'text', text }] };
      const MessageBody = JSON.stringify({ thread: there, item_id: item.id, item });
      const names = { MessageGroupId: threadGroup(there), MessageDeduplicationId: `old-${n}` };
      await world.operator.send(new SendMessageCommand({ QueueUrl: resolver_dlq_url, MessageBody, ...names }));
    }
    expect((await examine(deployment)).find(({ what }) => what === 'its dead letters')).toMatchObject({ ok: false });
    expect(await redrive(deployment.sqs, resolver_dlq_url, resolver_queue_url)).toBe(2);
    expect(await redrive(deployment.sqs, resolver_dlq_url, resolver_queue_url)).toBe(0);
    await world.heard(there, 'next_turn');
    const turns = async () => {
      await world.heard(there, 'next_turn');
      return world.messages
        .filter((message) => message.thread.alias === 'redriven')
        .map(({ message_id }) => message_id);
    };
    await eventually(async () => (await turns()).length === 2, 'both next turns');
    expect(await turns()).toEqual(['itm_old_0.turn', 'itm_old_1.turn']);
    expect(await world.api.attach(there)).toMatchObject({ open: { prompt_id: prompt.prompt_id } });
  });
});

describe('the doctor', () => {
  it('finds a sound stack sound', async () => {
    const findings = await examine(deployment);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.length).toBeGreaterThan(8);
  });

  it.each<[string, Partial<Deployment>, string, RegExp]>([
    ['a secret of another shape', { webhookSecrets: async () => 'whsec_abc' }, 'webhook secrets', /no JSON list/],
    [
      'a secret that ingest does not have',
      { webhookSecrets: async () => JSON.stringify([`whsec_${Buffer.alloc(24).toString('base64')}`]) },
      'webhook, signed',
      /answered 401, not 200/,
    ],
    ['a key that nobody knows', { threadHostKey: async () => 'k_wrong' }, 'thread host', /does not tell whose key/],
    ['an empty key', { threadHostKey: async () => '' }, 'thread host', /is empty or has spaces/],
    ['a table that is not there', { tableName: 'nothing' }, 'table', /ResourceNotFoundException/],
    ['a queue that is not there', { resolverQueueUrl: 'http://127.0.0.1:9/x' }, 'queue of thread items', /./],
  ])('finds %s', async (_, wrong, what, why) => {
    const found = (await examine({ ...deployment, ...wrong })).find((finding) => finding.what === what);
    expect(found).toMatchObject({ ok: false });
    expect(found?.why).toMatch(why);
  });
});

import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { type Assembly, synthesize } from '../../infra/local/synth.ts';
import { startWorld, type World } from '../local/world.ts';
import { eventually } from '../support/eventually.ts';

/** Somebody recorded a good webhook and sends it again within the five minutes in which its signature is believed. */
const thread: Thread = { revision_id: 'rev', session_id: 'replayed', alias: 'main' };
const options = [{ label: 'Approve' }, { label: 'Deny' }];
const approval = (request_id: string) => ({
  request_id,
  kind: 'approval' as const,
  questions: [{ question: `${request_id}?`, options }],
});

const lines: string[] = [];
const stops = new StopStack();
let assembly: Assembly;
let world: World;
beforeAll(async () => {
  assembly = await synthesize(new AbortController().signal);
  world = await startWorld(assembly.folder, (source, line) => lines.push(`${source} ${line}`), stops);
}, 90_000);
afterAll(async () => {
  await stops.stopAll();
  assembly.remove();
});

it('a recorded webhook sent again changes nothing: no second outcome, no next turn, no approval of the next prompt', async () => {
  await world.api.raise(thread, approval('harmless'));
  await world.says(thread, 'yes');
  await world.heard(thread, 'prompt_answered');
  await world.audited(thread);
  const yes = (await world.itemsOf(thread)).find((item) => item.user_id === 'usr_anna');
  const event = { id: 'evt', type: 'session_thread_item_posted', ...thread, item_id: yes?.id, item: yes };
  const body = JSON.stringify(event);
  const recorded = { method: 'POST', body, headers: world.sign(body) };
  const replay = () => fetch(world.stack.addresses.webhook_url, recorded);

  const { prompt } = await world.api.raise(thread, approval('dangerous'));
  const answers = await Promise.all([replay(), replay(), replay()]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  // The queue drops what comes within five minutes; an attacker, or an operator's redrive, may come later than that.
  const { resolver_queue_url: QueueUrl } = world.stack.addresses;
  await world.sendAgain(thread, yes);
  await eventually(() => lines.some((line) => line.includes('"because":"duplicate"')), 'the duplicate');
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const left = await world.operator.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  expect(left.Attributes?.ApproximateNumberOfMessages).toBe('0');

  expect(await world.api.attach(thread)).toMatchObject({ open: { prompt_id: prompt.prompt_id } });
  await world.says(thread, 'no');
  await eventually(async () => {
    await world.heard(thread, 'prompt_answered');
    return world.messages.filter(({ type }) => type === 'prompt_answered').length === 2;
  }, 'the second answer');
  expect(world.messages.map((message) => ('prompt' in message ? message.prompt : message.type))).toMatchObject([
    { answers: [{ answer: ['Approve'] }] },
    { answers: [{ answer: ['Deny'] }] },
  ]);
}, 60_000);

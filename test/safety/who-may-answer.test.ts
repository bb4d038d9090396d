import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Thread } from '#core/thread.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { assembly } from '../support/assembly.ts';
import { eventually } from '../support/eventually.ts';
import { ANNA, eventOf, type QuietStack, startQuietStack } from './quiet-stack.ts';

/** While the host does not say whose key we hold, any item may be our own: nothing answers, nothing is lost (A6). */
const THREADS = ['a', 'b', 'c', 'd'].map((session_id) => ({ revision_id: 'rev', session_id, alias: 'main' }));
const options = [{ label: 'Approve' }, { label: 'Deny' }];
const approval = { request_id: 'call_1', kind: 'approval', questions: [{ question: 'May I?', options }] };
const NO_USER = [
  { status: 503, body: '{"error":"unavailable"}' },
  { status: 401, body: '{"error":"unauthorized"}' },
  { status: 200, body: 'no JSON' },
  { status: 200, body: '{"user":{}}' },
  { status: 200, body: '{"user_id":""}' },
  { status: 200, body: '{"user_id":["usr_runner"]}' },
  'hangs_up',
] as const;

const lines: string[] = [];
const stops = new StopStack();
let stack: QuietStack;
let asked = 0;
let isBack = false;

beforeAll(async () => {
  // From the start: whoever was told once knows it for good.
  const says = (path: string) =>
    path.endsWith('/users/me') && !isBack ? NO_USER[asked++ % NO_USER.length] : undefined;
  stack = await startQuietStack(await assembly(), (source, line) => lines.push(`${source} ${line}`), stops, { says });
}, 90_000);
afterAll(() => stops.stopAll());

it('replies wait while our own user is unknown, whatever the host says instead, and then settle', async () => {
  const replies = await Promise.all(THREADS.map(askAndReply));

  const askedBefore = asked;
  await eventually(() => asked >= askedBefore + NO_USER.length, 'every answer that names no user', 60_000);
  for (const [n, thread] of THREADS.entries()) {
    expect(await stack.told(thread)).toEqual([]);
    expect(await stack.itemsOf(thread)).toMatchObject([{ metadata: { type: 'pending_prompt' } }, { id: replies[n] }]);
    const attached = await stack.call(thread, 'attach', {});
    expect([attached.status, await attached.json()]).toMatchObject([200, { open: { request_id: 'call_1' } }]);
  }
  // What the alarm watches (infra/constructs/resolver.ts).
  expect(lines.filter((line) => line.includes('"OwnUserUnknown":1')).length).toBeGreaterThan(1);

  isBack = true;
  for (const [n, thread] of THREADS.entries()) {
    const outcome = await stack.heard(thread, 'prompt_answered', 60_000);
    expect(outcome).toMatchObject({ prompt: { answers: [{ answer: ['Approve'] }] }, item: { id: replies[n] } });
  }
}, 120_000);

async function askAndReply(thread: Thread): Promise<string> {
  expect((await stack.call(thread, 'prompts', approval)).status).toBe(201);
  const yes = await stack.posts(ANNA, thread, { content: [{ type: 'text', text: 'yes' }] });
  expect((await stack.recorded(eventOf(thread, yes))()).status).toBe(202);
  return yes.id;
}

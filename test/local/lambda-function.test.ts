import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import type { LambdaFunction } from '../../infra/local/lambda-function.ts';
import { eventually } from '../support/eventually.ts';
import { type Stub, stubFunction } from './stub-function.ts';

const root = mkdtempSync(path.join(tmpdir(), 'lambda-function-'));
const started: LambdaFunction[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.stop()));
});
afterAll(() => rmSync(root, { recursive: true }));

function stub(code: string, options: Stub = {}) {
  const lambda = stubFunction(mkdtempSync(path.join(root, 'f-')), code, options);
  started.push(lambda);
  return lambda;
}

it('answers with what the handler returns, from an environment of its own', async () => {
  process.env.OF_THE_STACK = 'x';
  const lambda = stub(
    `export const handler = async (event, context) => ({
      event, env: process.env, name: context.functionName, left: context.getRemainingTimeInMillis(), id: context.awsRequestId,
    });`,
    { variables: { TABLE_NAME: 't' }, timeoutMs: 4000 },
  );
  const { ok, payload } = (await lambda.invoke({ a: 1 })) as { ok: true; payload: string };
  expect(ok).toBe(true);
  const answer = JSON.parse(payload);
  expect(answer).toMatchObject({ event: { a: 1 }, env: { TABLE_NAME: 't' }, name: 'stub', id: expect.any(String) });
  expect(answer.env).toEqual({ TABLE_NAME: 't' });
  expect(answer.left).toBeGreaterThan(3000);
  expect(answer.left).toBeLessThanOrEqual(4000);
});

it('keeps an environment, and uses it for one invocation at a time', async () => {
  const lambda = stub(
    `
    import { threadId } from 'node:worker_threads';
    let running = 0, most = 0, calls = 0;
    export const handler = async () => {
      most = Math.max(most, ++running); calls++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      return { threadId, most, calls };
    };`,
    { concurrency: 2 },
  );
  const invocations = await Promise.all(Array.from({ length: 8 }, () => lambda.invoke({})));
  const answers = invocations.map((invocation) => JSON.parse(invocation.ok ? invocation.payload : '{}'));
  expect(answers.every(({ most }) => most === 1)).toBe(true);
  expect(new Set(answers.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2);
  expect(Math.max(...answers.map(({ calls }) => calls))).toBeGreaterThan(1);
});

it('reports what the handler throws, and goes on', async () => {
  const lambda = stub(
    `export const handler = async (event) => { if (event.bad) throw new RangeError('no'); return 'fine'; };`,
  );
  expect(await lambda.invoke({ bad: true })).toMatchObject({
    ok: false,
    error: { errorType: 'RangeError', errorMessage: 'no' },
  });
  expect(await lambda.invoke({})).toEqual({ ok: true, payload: '"fine"' });
});

it.each([
  ['hangs without yielding', 'for (;;);', 'Sandbox.Timedout', /Task timed out after 0\.30 seconds/],
  ['never resolves', 'await new Promise(() => {});', 'Sandbox.Timedout', /Task timed out/],
  ['exits', 'process.exit(3);', 'Runtime.ExitError', /exit status 3/],
  [
    'throws outside the handler',
    "setTimeout(() => { throw new Error('late') }); await new Promise(() => {});",
    'Runtime.ExitError',
    /late/,
  ],
  [
    'takes all memory',
    'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));',
    'Runtime.OutOfMemory',
    /memory/,
  ],
])(
  'a function that %s is killed, and the next invocation has a new environment',
  async (_name, fault, errorType, message) => {
    const timeoutMs = errorType === 'Sandbox.Timedout' ? 300 : 10_000;
    const lambda = stub(`export const handler = async (event) => { if (event.bad) { ${fault} } return 'fine'; };`, {
      timeoutMs,
      memoryMb: 64,
    });
    const invocation = await lambda.invoke({ bad: true });
    expect(invocation).toMatchObject({ ok: false, error: { errorType, errorMessage: expect.stringMatching(message) } });
    expect(lambda.lines.join('\n')).toContain(errorType);
    expect(await lambda.invoke({})).toEqual({ ok: true, payload: '"fine"' });
  },
);

it.each([
  ['throws while loading', "throw new TypeError('broken'); export const handler = 1;", 'TypeError'],
  ['has no such export', 'export const other = 1;', 'Runtime.HandlerNotFound'],
])('a module that %s fails every invocation', async (_name, code, errorType) => {
  const lambda = stub(code);
  expect(await lambda.invoke({})).toMatchObject({ ok: false, error: { errorType } });
  expect(await lambda.invoke({})).toMatchObject({ ok: false, error: { errorType } });
});

it('gives the log what the function writes, line by line', async () => {
  const lambda = stub(`export const handler = async () => { console.log('one\\ntwo'); console.error('three'); };`);
  expect(await lambda.invoke({})).toEqual({ ok: true, payload: 'null' });
  await eventually(() => lambda.lines.length === 3, 'three lines');
  expect(lambda.lines.sort()).toEqual(['one', 'three', 'two']);
});

it('stops what runs and what waits', async () => {
  const lambda = stub('export const handler = () => new Promise(() => {});', { concurrency: 1 });
  const invocations = Promise.all([lambda.invoke({}), lambda.invoke({})]);
  await lambda.stop();
  expect((await invocations).map(({ ok }) => ok)).toEqual([false, false]);
  expect(await lambda.invoke({})).toMatchObject({ ok: false });
});

it('tells of each invocation that ran how it ended and how long it took, the wait for an environment left out', async () => {
  const ended: { ok: boolean; durationMs: number }[] = [];
  const hear: Stub['ended'] = ({ ok }, durationMs) => ended.push({ ok, durationMs });
  const code = `
    await new Promise((resolve) => setTimeout(resolve, 500));
    export const handler = async ({ fails }) => { if (fails) throw new Error('no'); };`;
  const lambda = stub(code, { ended: hear });
  await lambda.invoke({});
  await lambda.invoke({ fails: true });
  await stub('throw new Error("no start")', { ended: hear }).invoke({});
  expect(ended.map(({ ok }) => ok)).toEqual([true, false, false]);
  for (const { durationMs } of ended) expect(durationMs).toBeLessThan(500);
});

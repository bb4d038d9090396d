import { expect, it } from 'vitest';
import { interruptedCalls } from '../../runner/interrupted-calls.ts';
import type { Attached } from '../../runner/runner-api.ts';

const session = { harness: 'claude-code', session_id: 's1', call: 'c1' };
const attached = (open: unknown, unacknowledged: unknown[] = []) => ({ open, unacknowledged }) as Attached;

it('finds the open prompt and the outcomes that the agent has not been told', () => {
  const outcome = { type: 'prompt_answered', request_id: 'r2', session: { ...session, call: 'c2' } };
  expect(interruptedCalls(attached({ request_id: 'r1', session }, [outcome]), 'claude-code', 's1')).toEqual([
    { request_id: 'r1', call: 'c1' },
    { request_id: 'r2', call: 'c2' },
  ]);
});

it.each([
  ['nothing', attached(null)],
  ['another session', attached({ request_id: 'r1', session: { ...session, session_id: 's2' } })],
  ['another harness', attached({ request_id: 'r1', session: { ...session, harness: 'codex' } })],
  ['a prompt without data', attached({ request_id: 'r1' })],
  ['a call without a name', attached({ request_id: 'r1', session: { ...session, call: 1 } })],
  ['a next turn', attached(null, [{ type: 'next_turn', session, request_id: 'r1' }])],
])('takes %s for no call of this session', (_what, what) => {
  expect(interruptedCalls(what, 'claude-code', 's1')).toEqual([]);
});

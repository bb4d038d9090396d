import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIVITY_LOG_ALIAS, threadName } from '#core/thread.ts';

const thread = { revision_id: 'rev', session_id: 'ses', alias: 'main' };

describe('threadName', () => {
  it('contains all three, in their order', () => {
    expect(threadName(thread)).toBe('["rev","ses","main"]');
  });
  it('is another one for every other thread', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('a', 'a"', '","', '\\', '', 'b'));
    const threads = fc.record({ revision_id: part, session_id: part, alias: part });
    fc.assert(
      fc.property(threads, threads, (a, b) => {
        const same = a.revision_id === b.revision_id && a.session_id === b.session_id && a.alias === b.alias;
        expect(threadName(a) === threadName(b)).toBe(same);
      }),
    );
  });
});

it('the activity log is the thread with the alias worker (T6)', () => {
  expect(ACTIVITY_LOG_ALIAS).toBe('worker');
});

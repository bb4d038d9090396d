import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIVITY_LOG_ALIAS, threadName, threadSchema } from '#core/thread.ts';

const thread = { revision_id: 'rev', session_id: 'ses', alias: 'main' };

describe('what names a thread (T1)', () => {
  it('is all three ids, whatever they look like', () => {
    expect(threadSchema.parse(thread)).toEqual(thread);
    expect(threadSchema.safeParse({ revision_id: ' ', session_id: '__proto__', alias: 'é/ #' }).success).toBe(true);
  });
  it.each(['revision_id', 'session_id', 'alias'])(
    'has no half surrogate pair in its %s, which no address can hold',
    (field) => {
      expect(threadSchema.safeParse({ ...thread, [field]: 'a\ud800' }).success).toBe(false);
      expect(threadSchema.safeParse({ ...thread, [field]: '\ud83d\ude00' }).success).toBe(true);
    },
  );
  it.each(['revision_id', 'session_id', 'alias'])('is nothing without %s', (field) => {
    for (const value of [undefined, null, '', 5, {}]) {
      expect(threadSchema.safeParse({ ...thread, [field]: value }).success).toBe(false);
    }
  });
  it('is no other field', () => {
    expect(threadSchema.parse({ ...thread, more: 1 })).toEqual(thread);
  });
});

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

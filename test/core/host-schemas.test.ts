import { describe, expect, it } from 'vitest';
import { HOST_ID_LIMIT, itemSchema, threadSchema } from '#core/host-schemas.ts';

const LONGEST = 'x'.repeat(HOST_ID_LIMIT);
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
  it.each(['revision_id', 'session_id', 'alias'])('has no endless %s', (field) => {
    expect(threadSchema.safeParse({ ...thread, [field]: LONGEST }).success).toBe(true);
    expect(threadSchema.safeParse({ ...thread, [field]: `${LONGEST}x` }).success).toBe(false);
  });
  it.each(['revision_id', 'session_id', 'alias'])('is nothing without %s', (field) => {
    for (const value of [undefined, null, '', 5, {}]) {
      expect(threadSchema.safeParse({ ...thread, [field]: value }).success).toBe(false);
    }
  });
  it('is no other field', () => {
    expect(threadSchema.parse({ ...thread, more: 1 })).toEqual(thread);
  });
});

describe('the shape of an item (T2)', () => {
  const item = { id: 'i', created_at: 'x', user_id: '', content: [] };
  it.each<[string, object]>([
    ['the least', item],
    [
      'all of it',
      { ...item, revision_id: 'r', parent_id: 'p', metadata: { a: 1 }, content: [{ type: 'x' }], more: [1] },
    ],
    ['the longest ids', { ...item, id: LONGEST, created_at: LONGEST, user_id: LONGEST, parent_id: LONGEST }],
    ['nulls', { ...item, parent_id: null, metadata: null }],
  ])('%s is good', (_, value) => {
    expect(itemSchema.safeParse(value).data).toEqual(value);
  });
  it.each<[string, object]>([
    ['an empty id', { ...item, id: '' }],
    ['no id', { ...item, id: undefined }],
    ['no created_at', { ...item, created_at: undefined }],
    ['no user_id', { ...item, user_id: undefined }],
    ['no content', { ...item, content: undefined }],
    ['a block that is no object', { ...item, content: ['x'] }],
    ['a parent that is no text', { ...item, parent_id: 5 }],
    ...['id', 'created_at', 'user_id', 'parent_id'].flatMap<[string, object]>((field) => [
      [`an endless ${field} (I13)`, { ...item, [field]: 'x'.repeat(HOST_ID_LIMIT + 1) }],
      [`half a surrogate pair in its ${field}`, { ...item, [field]: 'a\ud800' }],
    ]),
  ])('%s is not', (_, value) => {
    expect(itemSchema.safeParse(value).success).toBe(false);
  });
});

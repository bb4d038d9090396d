import { describe, expect, it } from 'vitest';
import { parseJson } from '#core/json.ts';
import { readEvent } from '#core/webhook-event.ts';

const THREAD = { revision_id: 'rev_1', session_id: 'ses_1', alias: 'main' };
const ITEM = {
  id: 'itm_1',
  created_at: '2026-05-28T12:00:00.000000+00:00',
  user_id: 'usr_anna',
  content: [{ type: 'text', text: 'hello' }],
};
const item = (more = {}) => ({ ...ITEM, ...more });
const event = (more = {}) => ({
  id: 'evt_1',
  type: 'session_thread_item_posted',
  ...THREAD,
  item_id: 'itm_1',
  created_at: 1_790_000_000_000,
  item: ITEM as unknown,
  ...more,
});

describe('an item is read (T1, T2)', () => {
  it('with its thread, and is handed on itself', () => {
    const body = event();
    const read = readEvent(body);
    expect(read).toEqual({ kind: 'item', thread: THREAD, item_id: 'itm_1', item: ITEM });
    expect(read.kind === 'item' && read.item).toBe(body.item);
  });
  it.each([
    ['absent', event({ item: undefined })],
    ['null', event({ item: null })],
    ['not among the fields', (({ item, ...rest }) => rest)(event())],
  ])('without the item inside: %s', (_, body) => {
    expect(readEvent(body)).toStrictEqual({ kind: 'item', thread: THREAD, item_id: 'itm_1' });
  });
  it.each([
    ['the same names', item({ ...THREAD })],
    ['names null', item({ revision_id: null, session_id: null, alias: null })],
    ['a parent', item({ parent_id: 'itm_0' })],
    ['no parent', item({ parent_id: null })],
    ['no content', item({ content: [] })],
    [
      'unknown blocks',
      item({ content: [{}, { type: 'video', url: 'x' }, { type: 'text' }, { type: 'text', text: 5 }] }),
    ],
    ['unknown fields', item({ reactions: [{ by: 'x' }], edited: true })],
    ['a time that is none', item({ created_at: 'yesterday' })],
    ['an empty user', item({ user_id: '' })],
    ['metadata null', item({ metadata: null })],
    ['metadata a text', item({ metadata: 'type' })],
    ['metadata a list', item({ metadata: ['type'] })],
    ['metadata a number', item({ metadata: 7 })],
    ['metadata without a type', item({ metadata: { client: 'web', answers: [] } })],
    ['a type null', item({ metadata: { type: null } })],
    ['a type that is no text', item({ metadata: { type: 5 } })],
    ['a type behind __proto__', item({ metadata: JSON.parse('{"__proto__":{"type":"status"}}') })],
    ['our own question', item({ metadata: { type: 'pending_prompt', prompt: {} } })],
    ['our own audit item', item({ metadata: { type: 'pending_prompt_resolved' } })],
  ])('with %s', (_, inside) => {
    expect(readEvent(event({ item: inside }))).toStrictEqual({
      kind: 'item',
      thread: THREAD,
      item_id: 'itm_1',
      item: inside,
    });
  });
  it('with unknown fields, numbers and names byte for byte', () => {
    const inside = `{"id":"itm_1","created_at":"","user_id":"","content":[{"n":1.0,"__proto__":{"a":-0}}],"__proto__":1e999}`;
    const parsed = parseJson(JSON.stringify(event()).replace(JSON.stringify(ITEM), inside));
    const read = readEvent(parsed.ok && parsed.value);
    expect(JSON.stringify(read.kind === 'item' && read.item)).toBe(inside);
  });
  it('whatever ids the host gives', () => {
    const odd = { revision_id: ' ', session_id: '__proto__', alias: 'a/b #%' };
    expect(readEvent(event({ ...odd, item_id: '\u0000', item: null }))).toEqual({
      kind: 'item',
      thread: odd,
      item_id: '\u0000',
    });
  });
  it('without an event id or time', () => {
    expect(readEvent(event({ id: undefined, created_at: undefined })).kind).toBe('item');
  });
});

describe('an event that never matters is ignored', () => {
  it.each([
    ['another type', event({ type: 'session_thread_item_updated' }), 'event_type'],
    ['another type without further fields', { type: 'session_graph_changed' }, 'event_type'],
    ['another type with fields of other shapes', { type: '', alias: 5, item: 'x' }, 'event_type'],
    ['the activity log (T6)', event({ alias: 'worker', item: item({ alias: 'worker' }) }), 'activity_log'],
    ['the activity log without an item (T6)', event({ alias: 'worker', item: undefined }), 'activity_log'],
    ['the activity log with items of other shapes (T6)', event({ alias: 'worker', item: { log: 1 } }), 'activity_log'],
    ['a typed item (T4)', event({ item: item({ metadata: { type: 'tool_result' } }) }), 'typed_item'],
    ['an item of an empty type (T4)', event({ item: item({ metadata: { type: '' } }) }), 'typed_item'],
    ['an item of nearly our type (T4)', event({ item: item({ metadata: { type: 'Pending_Prompt' } }) }), 'typed_item'],
  ])('%s', (_, body, why) => {
    expect(readEvent(body)).toEqual({ kind: 'ignored', why });
  });
  it('but no alias that only looks like the activity log', () => {
    expect(readEvent(event({ alias: 'Worker' })).kind).toBe('item');
    expect(readEvent(event({ alias: 'worker ' })).kind).toBe('item');
  });
});

describe('a body that is not of the shape names the path', () => {
  it.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['']],
    ['null', null, ['']],
    ['a list', [], ['']],
    ['a text', 'x', ['']],
    ['a number', 5, ['']],
    ['an empty object', {}, ['type', 'revision_id', 'session_id', 'alias', 'item_id']],
    ['type missing', event({ type: undefined }), ['type']],
    ['type a number', event({ type: 5 }), ['type']],
    ['type null', event({ type: null }), ['type']],
    ['type missing, in the activity log', event({ type: undefined, alias: 'worker' }), ['type']],
    ['revision_id missing', event({ revision_id: undefined }), ['revision_id']],
    ['revision_id empty', event({ revision_id: '' }), ['revision_id']],
    ['session_id an object', event({ session_id: {} }), ['session_id']],
    ['session_id empty', event({ session_id: '' }), ['session_id']],
    ['session_id missing, in the activity log', event({ session_id: undefined, alias: 'worker' }), ['session_id']],
    ['alias null', event({ alias: null }), ['alias']],
    ['alias empty', event({ alias: '' }), ['alias']],
    ['item_id a number', event({ item_id: 5 }), ['item_id']],
    ['item_id empty', event({ item_id: '', item: null }), ['item_id']],
    ['item a text', event({ item: 'x' }), ['item']],
    ['item a list', event({ item: [] }), ['item']],
    ['item a number', event({ item: 0 }), ['item']],
    ['item.id missing', event({ item: item({ id: undefined }) }), ['item.id']],
    ['item.id empty', event({ item_id: '', item: item({ id: '' }) }), ['item_id', 'item.id']],
    ['item.user_id missing', event({ item: item({ user_id: undefined }) }), ['item.user_id']],
    ['item.user_id a number', event({ item: item({ user_id: 7 }) }), ['item.user_id']],
    ['item.created_at missing', event({ item: item({ created_at: undefined }) }), ['item.created_at']],
    ['item.created_at a number', event({ item: item({ created_at: 5 }) }), ['item.created_at']],
    ['item.content missing', event({ item: item({ content: undefined }) }), ['item.content']],
    ['item.content a text', event({ item: item({ content: 'x' }) }), ['item.content']],
    ['item.content an object', event({ item: item({ content: {} }) }), ['item.content']],
    ['a block null', event({ item: item({ content: [{}, null] }) }), ['item.content[1]']],
    ['a block that is a text', event({ item: item({ content: ['x'] }) }), ['item.content[0]']],
    ['item.parent_id a number', event({ item: item({ parent_id: 5 }) }), ['item.parent_id']],
    [
      'several at once',
      event({ alias: 5, item: item({ user_id: 5, content: 5 }) }),
      ['alias', 'item.user_id', 'item.content'],
    ],
    ['another item inside (T1)', event({ item_id: 'itm_2' }), ['item.id']],
    ['an item of another session (T1)', event({ item: item({ session_id: 'ses_2' }) }), ['item.session_id']],
    ['an item of another revision (T1)', event({ item: item({ revision_id: 'rev_2' }) }), ['item.revision_id']],
    ['an item of another alias (T1)', event({ item: item({ alias: 'worker' }) }), ['item.alias']],
    ['an item whose alias is no text (T1)', event({ item: item({ alias: 5 }) }), ['item.alias']],
    [
      'an item of another thread (T1)',
      event({ item: item({ alias: 'x', session_id: 'y' }) }),
      ['item.session_id', 'item.alias'],
    ],
    [
      'a thread behind __proto__',
      JSON.parse(`{"__proto__":${JSON.stringify(event())}}`),
      ['type', 'revision_id', 'session_id', 'alias', 'item_id'],
    ],
  ])('%s', (_, body, paths) => {
    const read = readEvent(body);
    expect(read.kind === 'malformed' && read.details.map(({ path }) => path)).toEqual(paths);
  });

  it('and says why', () => {
    const read = readEvent(event({ item_id: 'itm_2' }));
    expect(read).toEqual({
      kind: 'malformed',
      details: [{ path: 'item.id', message: 'This differs from what the event around it says.' }],
    });
  });

  it('in an answer that can be sent, however many faults there are', () => {
    const read = readEvent(event({ item: item({ content: Array.from({ length: 200_000 }, () => 1) }) }));
    expect(read.kind === 'malformed' && read.details).toHaveLength(20);
    expect(JSON.stringify(read).length).toBeLessThan(4096);
  });
});

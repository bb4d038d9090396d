import { describe, expect, it } from 'vitest';
import { bareItem, hasOtherContent, type Item, metadataField, ownField, textOf } from '#core/item.ts';

const withContent = (...content: Item['content']): Item => ({ id: 'i', created_at: '', user_id: 'u', content });
const withMetadata = (metadata: unknown): Item => ({ ...withContent(), metadata });
const text = (words: string) => ({ type: 'text', text: words });

describe('the text of an item (T5)', () => {
  it.each<[string, Item, string]>([
    ['no block', withContent(), ''],
    ['one block', withContent(text(' a\n')), ' a\n'],
    ['blocks joined with a line feed', withContent(text('a'), text(''), text('b')), 'a\n\nb'],
    [
      'other blocks left out',
      withContent({ type: 'json', json: 'x' }, text('a'), { type: 'image' }, text('b')),
      'a\nb',
    ],
    ['a text that is no string', withContent({ type: 'text', text: 5 }, { type: 'text' }, text('a')), 'a'],
    ['a text of another type', withContent({ type: 'markdown', text: 'x' }, { text: 'y' }), ''],
  ])('%s', (_, item, words) => {
    expect(textOf(item)).toBe(words);
  });
});

describe('other content (A7)', () => {
  it.each<[string, Item, boolean]>([
    ['no block', withContent(), false],
    ['text alone', withContent(text('a'), text('')), false],
    ['an image', withContent(text('a'), { type: 'image' }), true],
    ['a json block', withContent({ type: 'json', json: null }), true],
    ['a block of nothing', withContent({}), true],
    ['a text block without a text', withContent({ type: 'text' }), true],
  ])('%s', (_, item, other) => {
    expect(hasOtherContent(item)).toBe(other);
  });
});

describe('own fields only (S5)', () => {
  const behindProto = JSON.parse('{"__proto__":{"type":"x"}}');
  it.each<[string, unknown, unknown]>([
    ['an own field', { type: 'x' }, 'x'],
    ['an own field null', { type: null }, null],
    ['no such field', { other: 'x' }, undefined],
    ['behind __proto__ as JSON gives it', behindProto, undefined],
    ['behind a real prototype', Object.create({ type: 'x' }), undefined],
    ['of an object without a prototype', Object.assign(Object.create(null), { type: 'x' }), 'x'],
    ['of a list', Object.assign(['x'], { type: 'x' }), undefined],
    ['of a text', 'type', undefined],
    ['of a function', Object.assign(() => {}, { type: 'x' }), undefined],
    ['of null', null, undefined],
    ['of nothing', undefined, undefined],
  ])('%s', (_, metadata, value) => {
    expect(metadataField(withMetadata(metadata), 'type')).toBe(value);
    expect(ownField(metadata, 'type')).toBe(value);
  });
  it('of an item without metadata', () => {
    expect(metadataField(withContent(), 'type')).toBeUndefined();
  });
  it.each(['toString', 'constructor', '__proto__'])('%s is no field of an empty object', (name) => {
    expect(ownField({}, name)).toBeUndefined();
  });
});

it('a bare item says who wrote it and when', () => {
  const item = { ...withContent(text('a')), metadata: { answers: [] }, more: 1 };
  expect(bareItem(item)).toEqual({ id: 'i', created_at: '', user_id: 'u', content: [] });
});

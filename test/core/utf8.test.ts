import { expect, it } from 'vitest';
import { utf8Bytes } from '#core/utf8.ts';

it.each([
  ['', 0],
  ['abc', 3],
  ['é', 2],
  ['終', 3],
  ['😀', 4],
  ['\u0000', 1],
  ['\ud800', 3],
])('%j takes %i bytes', (text, bytes) => {
  expect(utf8Bytes(text)).toBe(bytes);
});

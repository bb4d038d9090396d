import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayLine, displayText } from '#core/display.ts';

const BOTH = [
  ['displayLine', displayLine],
  ['displayText', displayText],
] as const;
const hex = (code: number) => `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;

describe.each(BOTH)('%s', (_, display) => {
  it.each([
    ['controls', [0x00, 0x07, 0x08, 0x0e, 0x1b, 0x1c, 0x1f, 0x7f, 0x80, 0x84, 0x86, 0x9b, 0x9f]],
    ['bidirectional controls', [0x061c, 0x200e, 0x200f, 0x202a, 0x202c, 0x202d, 0x202e, 0x2066, 0x2068, 0x2069]],
    ['zero-width characters', [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff]],
    ['invisible operators', [0x2061, 0x2064, 0x206a, 0x206f]],
    ['soft hyphen and joiners of marks', [0x00ad, 0x034f]],
    ['fillers', [0x115f, 0x1160, 0x3164, 0xffa0]],
    ['Mongolian selectors elsewhere', [0x180b, 0x180e, 0x180f]],
    ['annotation marks', [0xfff9, 0xfffb]],
    ['tags', [0xe0001, 0xe0020, 0xe0041, 0xe007f]],
    ['supplementary variation selectors', [0xe0100, 0xe01ef]],
    ['musical formats', [0x1d173, 0x1d17a]],
    ['lone surrogates', [0xd800, 0xdbff, 0xdc00, 0xdfff]],
    ['unassigned characters that are left out', [0x2065, 0xfff0, 0xe0fff]],
  ])('shows %s', (_what, codes) => {
    for (const code of codes) {
      expect(display(`a${String.fromCodePoint(code)}b`)).toBe(`a${hex(code)}b`);
      expect(display(String.fromCodePoint(code))).toBe(hex(code));
    }
  });

  it('shows each of several', () => {
    expect(display('\u202e\u202e\u0000x\u2066')).toBe('<U+202E><U+202E><U+0000>x<U+2066>');
  });

  it.each([
    ['Latin', 'Größe: ça va, naïve café — “ok” (50 %) €'],
    ['combining marks', 'e\u0301 a\u0308\u0323 Z͑ͫ̓ͪ̂ͫ̽a'],
    ['Vietnamese', 'Tiếng Việt'],
    ['Cyrillic', 'Да, конечно — №5'],
    ['Greek', 'Ναι, ἄνθρωπος'],
    ['Hebrew with points', 'שָׁלוֹם עֲלֵיכֶם'],
    ['Arabic with marks', 'السَّلَامُ عَلَيْكُمْ ١٢٣'],
    ['Arabic number and verse signs', '\u0600١ \u0601٢ \u0605٣ ﷽ \u06dd١ \u08e2'],
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Urdu with a joiner', 'ہ\u200d'],
    ['Syriac with an abbreviation', '\u070fܫܡܝ'],
    ['Hindi with joiners', 'क्\u200dष क्\u200cष'],
    ['Bengali', 'র\u200d্য বাংলা'],
    ['Malayalam, as written of old', 'അവന്\u200d'],
    ['Sinhala', 'ශ්\u200dරී ලංකා'],
    ['Tamil', 'தமிழ்'],
    ['Kaithi number sign', '\u{110bd}\u{11083}'],
    ['Thai with a zero-width space', 'ภาษา\u200bไทย'],
    ['Khmer with a zero-width space', 'ភាសា\u200bខ្មែរ'],
    ['Lao and Burmese', 'ພາສາ\u200bລາວ မြန်မာ\u200bစာ'],
    ['Tibetan', 'བོད་སྐད་'],
    ['Mongolian with selectors', 'ᠮᠣᠩᠭᠣᠯ\u202f\u1820\u180b \u182d\u180e\u1820'],
    ['Chinese and Japanese', '你好，世界。こんにちは　ガギグ'],
    ['a name with an ideographic variant', '葛\u{e0100}城'],
    ['Korean', '안녕하세요 한국어'],
    ['Georgian, Armenian, Amharic, Cherokee', 'ქართული Հայերեն አማርኛ ᏣᎳᎩ'],
    ['symbols', '∀x∈ℝ: ⌈x⌉ = −⌊−x⌋ → ½ © ™ ♥ ☃ ✓ ✗ · •'],
    ['spaces that are wide', 'a\u00a0b\u2003c\u3000d\u202fe'],
    ['private use', '\ue000\u{f0000}'],
    ['markup', '<b>x</b> &amp; `y` \\n $& $1 <U+202E>'],
  ])('leaves ordinary text alone: %s', (_what, text) => {
    expect(display(text)).toBe(text);
  });

  it.each([
    '😀🎉🍎',
    '❤️ ☀︎ ✔️',
    '1️⃣ #️⃣',
    '👍🏽',
    '👩‍🚀',
    '👩🏽‍🚀',
    '🕵🏽‍♂️',
    '👩‍👩‍👧‍👦',
    '👩‍❤️‍💋‍👨',
    '🏳️‍🌈',
    '🏴‍☠️',
    '🐦‍⬛',
    '🇯🇵🇩🇪',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿',
    '🚶🏻‍♀️‍➡️',
  ])('leaves emoji alone: %s', (text) => {
    expect(display(`x${text}y`)).toBe(`x${text}y`);
  });

  it.each([
    ['a joiner between letters', 'a\u200db', 'a<U+200D>b'],
    ['a joiner after a picture alone', '👩\u200dx', '👩<U+200D>x'],
    ['a joiner at the end', '👩\u200d', '👩<U+200D>'],
    ['a joiner before a picture alone', 'x\u200d👩', 'x<U+200D>👩'],
    ['a second joiner', '👩\u200d\u200d🚀', '👩<U+200D><U+200D>🚀'],
    ['a joiner after a modifier alone', 'x🏽\u200d🚀', 'x🏽<U+200D>🚀'],
    ['a second non-joiner', 'می\u200c\u200cخ', 'می\u200c<U+200C>خ'],
    ['a non-joiner before a letter alone', 'x\u200cخ', 'x<U+200C>خ'],
    ['a zero-width space of another script', 'کا\u200bکا', 'کا<U+200B>کا'],
    ['a second ideographic selector', '葛\u{e0100}\u{e0101}', '葛\u{e0100}<U+E0101>'],
    ['an ideographic selector after a letter', 'a\u{e0100}', 'a<U+E0100>'],
    ['a flag of tags that is none', '🏴\u{e0067}\u{e0062}\u{e007f}', '🏴<U+E0067><U+E0062><U+E007F>'],
    ['tags after another picture', '😀\u{e0067}\u{e0062}', '😀<U+E0067><U+E0062>'],
    ['a tag after a flag', '🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0061}', '🏴󠁧󠁢󠁥󠁮󠁧󠁿<U+E0061>'],
  ])('shows what is spelling only elsewhere: %s', (_what, text, shown) => {
    expect(display(text)).toBe(shown);
  });

  it('hides nothing and cuts nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = display(text);
        const left = [...shown].filter(
          (char) => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(char) && !/[\n\t]/.test(char),
        );
        // What may be left is spelling, and that stood in the text.
        for (const char of left) expect(text).toContain(char);
        // What is seen stands there as before, and in its order.
        const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
        let from = 0;
        for (const char of [...text].filter((char) => !unseen.test(char))) {
          const at = shown.indexOf(char, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + char.length;
        }
        expect([...shown].length).toBeGreaterThanOrEqual([...text.replaceAll('\r\n', '\n')].length);
        expect(display(shown)).toBe(shown);
      }),
    );
  });

  it('leaves every printable character alone, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(text));
        expect(display(text)).toBe(text);
      }),
    );
  });

  it('takes a moment only', { timeout: 5000 }, () => {
    for (const part of ['\u200d', '👩\u200d', '\r', '\u{e0067}', 'می\u200c', '\ufe0f']) {
      expect(display(part.repeat(50_000)).length).toBeGreaterThanOrEqual(50_000);
    }
  });
});

describe('line breaks', () => {
  it.each(['\n', '\r', '\r\n', '\v', '\f', '\t', '\u0085', '\u2028', '\u2029'])(
    '%j is a space on a line (P3)',
    (end) => {
      expect(displayLine(`a${end}b${end}`)).toBe('a b ');
    },
  );
  it('two of them are two spaces', () => {
    expect(displayLine('a\n\rb\r\n\r\nc')).toBe('a  b  c');
  });
  it('line feeds and tabs stay in a text', () => {
    expect(displayText('a\n\n\tb\n')).toBe('a\n\n\tb\n');
  });
  it('returns become line feeds in a text', () => {
    expect(displayText('a\r\nb\rc\r\r\nd\n\re')).toBe('a\nb\nc\n\nd\n\ne');
  });
  it('other separators are shown in a text', () => {
    expect(displayText('a\vb\fc\u0085d\u2028e\u2029f')).toBe('a<U+000B>b<U+000C>c<U+0085>d<U+2028>e<U+2029>f');
  });
});

/**
 * The copy of an agent's or a person's text that people read (decisions.md P3). What cannot be seen, or makes other text
 * be seen elsewhere, is shown as a visible escape such as `<U+202E>`; `metadata` keeps the original.
 */
export function displayText(text: string): string {
  return escapeHidden(text.replace(/\r\n?/g, '\n'), /[\n\t]/);
}

/** The same on one line: no label can start a line of its own and forge another option. */
export function displayLine(text: string): string {
  return escapeHidden(text.replace(/\r\n|[\n\r\v\f\t\u0085\u2028\u2029]/g, ' '));
}

/**
 * Controls, formats, lone surrogates, separators, and all that Unicode lets a renderer leave out: bidirectional and
 * zero-width characters, tags, fillers. Variation selectors only choose a picture's style, so they stay.
 */
const HIDDEN = /(?![\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const ZERO_WIDTH_JOINER = '\u200d';
const PICTURE_BEFORE = /\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?$/u;
const PICTURE_AFTER = /^\p{Extended_Pictographic}/u;

function escapeHidden(text: string, allowed?: RegExp): string {
  return text.replace(HIDDEN, (char, at: number) => {
    if (allowed?.test(char)) return char;
    // A joiner between two pictures makes one of them, as in a family; anywhere else it is only invisible.
    if (char === ZERO_WIDTH_JOINER && PICTURE_AFTER.test(text.slice(at + 1, at + 3))) {
      if (PICTURE_BEFORE.test(text.slice(0, at).slice(-6))) return char;
    }
    return `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

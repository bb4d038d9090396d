/**
 * The copy of an agent's or a person's text that people read (decisions.md P3). What cannot be seen, or makes other text
 * be seen elsewhere, is shown as a visible escape such as `<U+202E>`; `metadata` keeps the original. Nothing is cut.
 */
export function displayText(text: string): string {
  return escapeHidden(text.replace(/\r\n?/g, '\n'), HIDDEN_IN_TEXT);
}

/** The same on one line: no label can start a line of its own and forge another option. */
export function displayLine(text: string): string {
  return escapeHidden(text.replace(/\r\n|[\n\r\v\f\t\u0085\u2028\u2029]/g, ' '), HIDDEN_IN_LINE);
}

/**
 * Controls, formats, lone surrogates, separators, and all that Unicode lets a renderer leave out: bidirectional and
 * zero-width characters, tags, fillers.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Where such characters are ordinary spelling: they stay there, and are hidden anywhere else. */
const SPELLING = [
  // The style of a picture or symbol.
  /[\ufe00-\ufe0f]/u,
  // Two pictures that are drawn as one, as in a family.
  /(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/u,
  // The flags of England, Scotland and Wales, the only ones that are spelled with tags.
  /(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u,
  // Joiners choose a letter's form in Persian, Syriac, Mongolian and the scripts of India and Sri Lanka.
  /(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}])[\u200c\u200d]/u,
  // Zero-width spaces part words where none are written.
  /(?<=[\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}\p{scx=Thai}])\u200b/u,
  // Variants of a Mongolian letter, and of an ideograph in a name.
  /(?<=\p{scx=Mong})[\u180b-\u180f]/u,
  /(?<=\p{Unified_Ideograph})[\u{e0100}-\u{e01ef}]/u,
  // Arabic, Syriac and Kaithi signs that are drawn around a number or word, though Unicode counts them as formats.
  /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u,
];

const HIDDEN_IN_LINE = hiddenExcept(SPELLING);
const HIDDEN_IN_TEXT = hiddenExcept([/[\n\t]/, ...SPELLING]);

/** Matches what stays as well, and captures only what is hidden. */
function hiddenExcept(stays: RegExp[]): RegExp {
  return new RegExp([...stays.map(({ source }) => source), `(${HIDDEN.source})`].join('|'), 'gu');
}

function escapeHidden(text: string, pattern: RegExp): string {
  return text.replace(pattern, (stays: string, hidden?: string) => {
    const code = hidden?.codePointAt(0);
    return code === undefined ? stays : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

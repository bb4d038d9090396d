/** How deep a body may nest before it is refused unread (interface.md 1). */
const DEPTH_LIMIT = 32;

export type ParsedJson = { ok: true; value: unknown } | { ok: false; why: string };

/**
 * Parses JSON within a bound on nesting, and without changing anything: a number whose text JavaScript would write
 * otherwise (1.0, 1e999, 20 digits) is kept as its text, so that unknown fields survive every hop byte for byte (T2).
 */
export function parseJson(text: string, maxDepth = DEPTH_LIMIT): ParsedJson {
  const { depth, hasOddNumber } = scan(text);
  if (depth > maxDepth) return { ok: false, why: `nested deeper than ${maxDepth}` };
  try {
    return { ok: true, value: hasOddNumber ? parseKeepingNumbers(text) : JSON.parse(text) };
  } catch {
    return { ok: false, why: 'not JSON' };
  }
}

/** JSON.parse with source text access and JSON.rawJSON are in V8 and Node 22, and not yet in TypeScript's library. */
const lossless = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

function parseKeepingNumbers(text: string): unknown {
  try {
    return lossless.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && isOdd(source) ? lossless.rawJSON(source) : value,
    );
  } catch (error) {
    // A reviver recurses: what nests too deep for that is read all the same, where the caller allows any depth.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

const PLAIN_INTEGER = /^-?[1-9]\d{0,14}$|^0$/;
const isOdd = (number: string): boolean => !PLAIN_INTEGER.test(number) && String(Number(number)) !== number;

const NUMBER = /-?\d[\d.eE+-]*/y;

/** One pass over what is outside of strings: how deep it nests, and whether a number needs its text kept. */
function scan(text: string): { depth: number; hasOddNumber: boolean } {
  let depth = 0;
  let deepest = 0;
  let hasOddNumber = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) depth--;
    else if (char === MINUS || (char >= ZERO && char <= NINE)) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text)?.[0];
      if (number === undefined) continue;
      hasOddNumber ||= isOdd(number);
      at += number.length - 1;
    }
  }
  return { depth: deepest, hasOddNumber };
}

/** Where the string that begins at `start` ends; a backslash hides what follows it. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) at++;
    else if (char === QUOTE) return at;
  }
  return text.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

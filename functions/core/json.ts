/** How deep a body may nest before it is refused unread (interface.md 1), and a prompt's questions (decisions.md P2). */
export const DEPTH_LIMIT = 32;

export type ParsedJson = { ok: true; value: unknown } | { ok: false; why: 'not JSON' | `nested deeper than ${number}` };

/**
 * Parses JSON within a bound on nesting, and without changing anything: a number whose text JavaScript would write
 * otherwise (1.0, 1e999, 20 digits) is kept as its text, so that unknown fields survive every hop byte for byte
 * (decisions.md T2). Such a number is an opaque object here, which only JSON.stringify writes as a number again.
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

/** True where a parsed value nests no deeper than this many lists and objects (decisions.md P2). */
export function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || isKeptNumber(value)) return true;
  return levels > 0 && Object.values(value).every((part) => nestsWithin(part, levels - 1));
}

/** True for a number that was kept as its text. */
export function isKeptNumber(value: unknown): boolean {
  return lossless.isRawJSON(value);
}

/** JSON.parse with source text access and JSON.rawJSON are in V8 and Node 22, and not yet in TypeScript's library. */
const lossless = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

function parseKeepingNumbers(text: string): unknown {
  try {
    return lossless.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && isOdd(source) ? lossless.rawJSON(source) : value,
    );
  } catch {
    // No JSON, which fails here again; or too deep for a reviver, which recurses, where the caller allows any depth.
    return JSON.parse(text);
  }
}

function isOdd(number: string): boolean {
  return String(Number(number)) !== number;
}

const NUMBER_BEGINS = '-0123456789';
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
    else if (NUMBER_BEGINS.includes(text.charAt(at))) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text)?.[0] ?? '0';
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

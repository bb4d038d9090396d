const encoder = new TextEncoder();

/** Size of a text on the wire, in bytes of UTF-8. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

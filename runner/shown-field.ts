/** One field of a call for a person to read, whole. */
export function shownField(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return text.includes('\n') ? `${name}:\n${indented(text)}` : `${name}: ${text}`;
}

/** As a block that Markdown leaves alone. */
export function indented(text: string): string {
  return text === '' ? '' : text.replaceAll(/^/gm, '    ');
}

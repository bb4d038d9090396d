const warned = new Set<string>();

/** Says once for each version that nobody has tried this one: what waits for weeks must not rest on a guess. */
export function warnOfUntested(harness: string, version: string, tested: string, warn: (line: string) => void): void {
  const name = `${harness} ${version}`;
  if (version === tested || warned.has(name)) return;
  warned.add(name);
  warn(`${name} is not tested with this adapter; tested is ${tested}.`);
}

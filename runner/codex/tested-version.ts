/** Codex as the harness tests run it. */
export const TESTED_CODEX = '0.171.0';

/** `our_name/0.171.0 (Debian 12; x86_64) …`, as `initialize` answers. */
export function versionIn(userAgent: string): string {
  return /^[^/]*\/(\S+)/.exec(userAgent)?.[1] ?? 'of an unknown version';
}

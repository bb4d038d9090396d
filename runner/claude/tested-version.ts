/** Claude Code as the harness tests run it: @anthropic-ai/claude-agent-sdk 0.3.332. */
export const TESTED_CLAUDE_CODE = '2.1.332';

const warned = new Set<string>();

/** Says once for each version that nobody has tried this one: what waits for weeks must not rest on a guess. */
export function warnOfUntested(version: string, warn: (line: string) => void): void {
  if (version === TESTED_CLAUDE_CODE || warned.has(version)) return;
  warned.add(version);
  warn(
    `Claude Code ${version} is not tested with this adapter; tested is ${TESTED_CLAUDE_CODE} (@anthropic-ai/claude-agent-sdk 0.3.332).`,
  );
}

import { warnOfUntested as warnOf } from '../warn-of-untested.ts';

/** Claude Code as the harness tests run it: @anthropic-ai/claude-agent-sdk 0.3.332. */
export const TESTED_CLAUDE_CODE = '2.1.332';

export function warnOfUntested(version: string, warn: (line: string) => void): void {
  warnOf('Claude Code', version, TESTED_CLAUDE_CODE, warn);
}

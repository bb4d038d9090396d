import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentMessage } from '../../../runner/claude/agent-sdk.ts';
import type { RunEnd } from '../../../runner/claude/run-claude.ts';
import { type Block, type FakeAnthropic, startFakeAnthropic, type ToolResult, type Turn } from './fake-anthropic.ts';

type Environment = Record<string, string> & { HOME: string };
/** An empty work folder, a home, and a model that makes the scripted calls and then says `done`. */
export type Workshop = {
  model: FakeAnthropic;
  cwd: string;
  env: Environment;
  made: (file: string) => boolean;
  /** What the model read as the results of its calls, in all. */
  read: () => ToolResult[];
};

export type Script = (turn: Turn) => Block[] | undefined;

/** Runs the scenario in a workshop and cleans up. Nothing of the caller's environment goes in but its PATH. */
export async function inWorkshop(script: Script, scenario: (workshop: Workshop) => Promise<void>): Promise<void> {
  const model = await startFakeAnthropic((turn) => script(turn) ?? [{ type: 'text', text: 'done' }]);
  const folder = mkdtempSync(path.join(tmpdir(), 'claude-'));
  const cwd = mkdtempSync(path.join(folder, 'work-'));
  try {
    await scenario({
      model,
      cwd,
      env: environment(model.url, folder),
      made: (file) => existsSync(path.join(cwd, file)),
      read: () => model.turns.flatMap(({ results }) => results),
    });
  } finally {
    await model.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function environment(modelUrl: string, home: string): Environment {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    // Without it the SDK carries nothing to a session store, and says nothing.
    CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-dummy-not-a-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  };
}

/** Lets a run go to its end. */
export async function finish(run: AsyncGenerator<AgentMessage, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const next = await run.next();
    if (next.done) return next.value;
  }
}

export const bash = (command: string, id?: string): Block => ({
  type: 'tool_use',
  name: 'Bash',
  input: { command, description: 'make a file' },
  ...(id && { id }),
});

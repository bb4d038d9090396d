import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CodexCommand } from '../../../runner/codex/app-server.ts';
import type { RpcNotification } from '../../../runner/codex/json-rpc.ts';
import type { CodexRun, RunEnd } from '../../../runner/codex/run-codex.ts';
import { processesOf } from '../claude/processes.ts';
import { type FakeOpenAi, type Say, startFakeOpenAi, type Turn } from './fake-openai.ts';
import { watchOutside } from './outside.ts';

/** An empty work folder, a home with the real Codex, and a model that makes the scripted calls and then says `done`. */
export type Workshop = Pick<CodexRun, 'socket' | 'thread'> & {
  codex: CodexCommand & { env: { HOME: string } };
  model: FakeOpenAi;
  cwd: string;
  made: (file: string) => boolean;
  /** What the model read as the results of its calls, in all. */
  results: () => string[];
  /** What it read from users behind its first task, in all. */
  heard: () => string[];
};
export type Script = (turn: Turn) => Say[] | undefined;

/**
 * Runs the scenario in a workshop, and cleans up. Nothing of the caller's environment goes in but its PATH.
 * @param config lines and tables of Codex's configuration
 * @throws where anything but this machine was asked for something
 */
export async function inCodexWorkshop(
  script: Script,
  scenario: (workshop: Workshop) => Promise<void>,
  config = '',
): Promise<void> {
  const model = await startFakeOpenAi((turn) => script(turn) ?? [{ type: 'message', text: 'done' }]);
  const home = mkdtempSync(path.join(tmpdir(), 'codex-'));
  const cwd = mkdtempSync(path.join(home, 'work-'));
  const outside = await watchOutside();
  const env = { ...environment(model.url, home, config), ...outside.env };
  try {
    await scenario({
      model,
      cwd,
      codex: { command: BINARY, env },
      socket: path.join(home, 's'),
      thread: { cwd, sandbox: 'danger-full-access' },
      made: (file) => existsSync(path.join(cwd, file)),
      results: () => model.turns.flatMap(({ results }) => results),
      heard: () => model.turns.slice(1).flatMap(({ heard }) => heard),
    });
    if (outside.asked.length > 0) throw new Error(`outside traffic: ${outside.asked.join(', ')}`);
  } finally {
    for (const pid of processesOf(home)) process.kill(pid, 'SIGKILL');
    await model.stop();
    outside.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const PACKAGES = path.join(import.meta.dirname, '../node_modules/@openai');
/** The binary for this machine, in the package that npm chose for it. */
const BINARY = (() => {
  const name = `codex-${process.platform}-${process.arch}`;
  const vendor = path.join(PACKAGES, name, 'vendor');
  const [target = ''] = readdirSync(vendor);
  return path.join(vendor, target, 'bin/codex');
})();

function environment(modelUrl: string, HOME: string, config: string): { HOME: string } & Record<string, string> {
  const CODEX_HOME = path.join(HOME, '.codex');
  const TMPDIR = path.join(HOME, 'tmp');
  for (const folder of [CODEX_HOME, TMPDIR]) mkdirSync(folder);
  writeFileSync(
    path.join(CODEX_HOME, 'config.toml'),
    `model = "gpt-5.5"
model_provider = "fake"
features.plugins = false
${config}
[model_providers.fake]
name = "fake"
base_url = "${modelUrl}"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
`,
  );
  return { PATH: process.env.PATH ?? '', HOME, CODEX_HOME, TMPDIR, FAKE_KEY: 'dummy-not-a-key', RUST_LOG: 'error' };
}

/** Lets a run go to its end. */
export async function finish(run: AsyncGenerator<RpcNotification, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const next = await run.next();
    if (next.done) return next.value;
  }
}

export const exec = (cmd: string, more: object = {}): Say => ({
  type: 'function_call',
  name: 'exec_command',
  arguments: { cmd, ...more },
});
export const addFile = (file: string, line: string): Say => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: `*** Begin Patch\n*** Add File: ${file}\n+${line}\n*** End Patch\n`,
});
export const firstThen =
  (...said: Say[]): Script =>
  ({ history }) =>
    /_output"/.test(history) ? undefined : said;

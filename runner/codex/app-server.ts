import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Wire } from './json-rpc.ts';
import { webSocket } from './web-socket.ts';

export type CodexCommand = {
  /** The native binary: a launcher between would not be what is killed. */
  command: string;
  args?: string[];
  env: Record<string, string | undefined>;
};

const START_MS = 30_000;
const LOOK_AGAIN_MS = 20;
/** Of a Unix socket's path, on Linux and without the last zero; macOS has 104. */
const LONGEST_PATH = 103;
/** The process's number is on disk before Codex runs: a runner that dies right then leaves no server that nobody knows. */
const START = 'echo $$ > "$1.pid" && exec 2> "$1.log" && shift && exec "$@"';

/**
 * `codex app-server` on a Unix socket, in a process that outlives the runner: what it asks stays open while nobody is
 * connected, and is asked again of who comes next. Whoever reaches the socket may answer for a person, so its folder is
 * made for this user alone. A service manager must not end it with the runner (systemd: `KillMode=process`).
 */
export class AppServer {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    if (Buffer.byteLength(socketPath) > LONGEST_PATH) {
      throw new Error(`The path of a socket has at most ${LONGEST_PATH} bytes: ${socketPath}`);
    }
    this.#socketPath = socketPath;
  }

  /** Nothing where no server runs. */
  async connect(): Promise<Wire | undefined> {
    return webSocket(this.#socketPath).catch(() => undefined);
  }

  /** @throws where it does not start, with what it said */
  async start({ command, args = [], env }: CodexCommand): Promise<Wire> {
    const socketPath = this.#socketPath;
    mkdirSync(path.dirname(socketPath), { recursive: true, mode: 0o700 });
    // A killed server leaves its socket behind, and another one would not take its place.
    rmSync(socketPath, { force: true });
    const listen = ['app-server', '--listen', `unix://${socketPath}`];
    const child = spawn('sh', ['-c', START, 'sh', socketPath, command, ...args, ...listen], {
      env: env as NodeJS.ProcessEnv,
      stdio: 'ignore',
      // A signal meant for the runner must not reach it, and the whole of its group can be killed.
      detached: true,
    });
    child.unref();
    for (const end = performance.now() + START_MS; performance.now() < end; await wait(LOOK_AGAIN_MS)) {
      const wire = await this.connect();
      if (wire) return wire;
      if (hasEnded(child)) break;
    }
    this.kill();
    throw new Error(`Codex did not start: ${this.#said()}`);
  }

  /**
   * At once, and nothing else: asked to end, Codex writes into its history that the user interrupted it. To be called
   * while a connection is open, or the number might by now be another process's.
   */
  kill(): void {
    try {
      process.kill(-Number(readFileSync(`${this.#socketPath}.pid`, 'utf8')), 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }

  #said(): string {
    try {
      return readFileSync(`${this.#socketPath}.log`, 'utf8').trim() || 'it said nothing';
    } catch {
      return 'it could not be run';
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

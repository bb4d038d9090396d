import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';

export type FunctionError = { errorType: string; errorMessage: string; trace?: string[] };
/** What an invocation comes to: the function's answer as JSON, or what Lambda reports in place of it. */
export type Invocation = { ok: true; payload: string } | { ok: false; error: FunctionError };

export type WorkerSettings = { folder: string; handler: string; context: Record<string, string> };
export type ToWorker = { requestId: string; event: string; deadline: number };
export type FromWorker =
  | { type: 'ready' }
  | { type: 'result'; payload: string }
  | { type: 'error'; error: FunctionError };

export type EnvironmentSettings = WorkerSettings & {
  /** All of process.env: nothing of the local stack's own gets in. */
  variables: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
  /** Gets every line that the function writes. */
  log: (line: string) => void;
};

/** Lambda's own limit of what runs before the first invocation. */
const INIT_TIMEOUT_MS = 10_000;
/** Small garbage is collected earlier: with V8's default a worker would hold tens of megabytes more. */
const YOUNG_GENERATION_MB = 8;

/** One execution environment: a worker thread that handles one invocation at a time. */
export class ExecutionEnvironment {
  readonly #worker: Worker;
  readonly #settings: EnvironmentSettings;
  #alive = true;
  /** Why the worker ended by itself. */
  #fault: FunctionError | undefined;

  constructor(settings: EnvironmentSettings) {
    this.#settings = settings;
    const { folder, handler, context, variables, memoryMb } = settings;
    this.#worker = new Worker(new URL('./lambda-worker.ts', import.meta.url), {
      workerData: { folder, handler, context } satisfies WorkerSettings,
      env: variables,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      stdout: true,
      stderr: true,
    });
    forEachLine(this.#worker.stdout, settings.log);
    forEachLine(this.#worker.stderr, settings.log);
    this.#worker.on('error', (error) => {
      const { code } = error as { code?: string };
      const errorType = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'Runtime.OutOfMemory' : 'Runtime.ExitError';
      this.#fault = { errorType, errorMessage: error.message };
    });
    this.#worker.once('exit', () => {
      this.#alive = false;
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Waits until the function's module is loaded. @returns the error where it does not load */
  async ready(): Promise<FunctionError | undefined> {
    const first = await this.#next(INIT_TIMEOUT_MS, 'Sandbox.InitTimedout', 'The function did not load in time');
    return first.type === 'error' ? first.error : undefined;
  }

  async invoke(event: string): Promise<Invocation> {
    const { timeoutMs, log } = this.#settings;
    const requestId = randomUUID();
    const message: ToWorker = { requestId, event, deadline: Date.now() + timeoutMs };
    this.#worker.postMessage(message);
    const answer = await this.#next(
      timeoutMs,
      'Sandbox.Timedout',
      `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`,
    );
    if (answer.type === 'result') return { ok: true, payload: answer.payload };
    const error = answer.type === 'error' ? answer.error : { errorType: 'Runtime.Unknown', errorMessage: 'no answer' };
    if (!this.#alive) log(`${error.errorType}: ${error.errorMessage}`);
    return { ok: false, error };
  }

  async stop(): Promise<void> {
    this.#alive = false;
    await this.#worker.terminate();
  }

  /** The worker's next message; a worker that ends or is late (then it is killed) has an error instead. */
  #next(withinMs: number, lateType: string, lateMessage: string): Promise<FromWorker> {
    return new Promise((resolve) => {
      const done = (message: FromWorker) => {
        clearTimeout(timer);
        this.#worker.off('message', done);
        this.#worker.off('exit', ended);
        resolve(message);
      };
      const ended = (code: number) => {
        const exited = {
          errorType: 'Runtime.ExitError',
          errorMessage: `Runtime exited with error: exit status ${code}`,
        };
        done({ type: 'error', error: this.#fault ?? exited });
      };
      const timer = setTimeout(() => {
        done({ type: 'error', error: { errorType: lateType, errorMessage: lateMessage } });
        void this.stop();
      }, withinMs);
      this.#worker.on('message', done);
      this.#worker.on('exit', ended);
    });
  }
}

function forEachLine(stream: Readable, write: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) write(line);
  });
}

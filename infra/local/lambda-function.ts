import { type EnvironmentSettings, ExecutionEnvironment, type Invocation } from './execution-environment.ts';

/** Starting one takes a core for a third of a second; more at once would only start later. */
const STARTS_AT_ONCE = 2;
/**
 * How long an invocation waits for a new environment, for each one that is there. Where the two cores are the limit, a
 * few are enough and more only take memory; where the thread host hangs, twenty calls have twenty after two seconds.
 */
const PATIENCE_MS = 100;
/** Lambda keeps an environment for minutes; here its memory is wanted back. */
const IDLE_MS = 20_000;

export type LambdaSettings = EnvironmentSettings & {
  /** Environments at most; further invocations wait for one. */
  concurrency: number;
  /** Hears of every invocation that ran, and how long it did: without the wait for an environment, as Lambda counts. */
  ended?: (invocation: Invocation, durationMs: number) => void;
};

/** A function: invocations, and the execution environments that come and go with them. */
export class LambdaFunction {
  readonly #settings: LambdaSettings;
  readonly #idle: { environment: ExecutionEnvironment; reaper: NodeJS.Timeout }[] = [];
  readonly #waiting: { give(environment: ExecutionEnvironment | Invocation): void; since: number }[] = [];
  readonly #environments = new Set<ExecutionEnvironment>();
  readonly #running = new Set<Promise<Invocation>>();
  #starting = 0;
  #growth: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(settings: LambdaSettings) {
    this.#settings = settings;
  }

  async invoke(event: unknown): Promise<Invocation> {
    const invocation = this.#invoke(JSON.stringify(event));
    this.#running.add(invocation);
    return invocation.finally(() => this.#running.delete(invocation));
  }

  /** Kills what is running; invocations get an error. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { reaper } of this.#idle) clearTimeout(reaper);
    clearTimeout(this.#growth);
    for (const { give } of this.#waiting.splice(0)) give(stopped());
    await Promise.all([...this.#environments].map((environment) => environment.stop()));
  }

  /** Resolves when nothing runs any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #invoke(event: string): Promise<Invocation> {
    if (this.#stopped) return stopped();
    const environment = await this.#free();
    if (!(environment instanceof ExecutionEnvironment)) {
      if (!this.#stopped) this.#settings.ended?.(environment, 0);
      return environment;
    }
    const began = performance.now();
    const invocation = await environment.invoke(event);
    if (!this.#stopped) this.#settings.ended?.(invocation, performance.now() - began);
    this.#release(environment);
    return invocation;
  }

  /** Whichever comes first: an environment that another invocation gives back, or a new one. */
  #free(): Promise<ExecutionEnvironment | Invocation> {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      clearTimeout(last.reaper);
      if (last.environment.alive) return Promise.resolve(last.environment);
      this.#environments.delete(last.environment);
    }
    return new Promise((give) => {
      this.#waiting.push({ give, since: performance.now() });
      this.#startMore();
    });
  }

  #startMore(): void {
    const [oldest] = this.#waiting;
    const mayStart =
      !this.#stopped &&
      this.#starting < Math.min(STARTS_AT_ONCE, this.#waiting.length) &&
      this.#environments.size < this.#settings.concurrency;
    if (!oldest || !mayStart) return;
    const patienceMs = oldest.since + PATIENCE_MS * this.#environments.size - performance.now();
    if (patienceMs > 0) {
      clearTimeout(this.#growth);
      this.#growth = setTimeout(() => this.#startMore(), patienceMs);
    } else {
      void this.#start();
      this.#startMore();
    }
  }

  async #start(): Promise<void> {
    const environment = new ExecutionEnvironment(this.#settings);
    this.#environments.add(environment);
    this.#starting++;
    const error = await environment.ready();
    this.#starting--;
    if (error) {
      this.#settings.log(`${error.errorType}: ${error.errorMessage}`);
      this.#waiting.shift()?.give({ ok: false, error });
      await environment.stop();
    }
    this.#release(environment);
    this.#startMore();
  }

  #release(environment: ExecutionEnvironment): void {
    const next = environment.alive ? this.#waiting.shift() : undefined;
    if (next) next.give(environment);
    else if (environment.alive) {
      const reaper = setTimeout(() => this.#reap(environment), IDLE_MS);
      this.#idle.push({ environment, reaper });
    } else {
      this.#environments.delete(environment);
      this.#startMore();
    }
  }

  /** The last one stays: a person who answers now and then should not wait for a start each time. */
  #reap(environment: ExecutionEnvironment): void {
    if (this.#environments.size === 1) return;
    const at = this.#idle.findIndex((entry) => entry.environment === environment);
    this.#idle.splice(at, 1);
    this.#environments.delete(environment);
    void environment.stop();
  }
}

function stopped(): Invocation {
  return { ok: false, error: { errorType: 'ServiceException', errorMessage: 'The local stack is stopping.' } };
}

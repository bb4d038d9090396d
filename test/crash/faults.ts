import type { PostResult } from '#core/ports.ts';

/** What can happen to one call to the outside. */
export const FAULTS = ['dies before', 'dies after', 'reply lost', 'no answer'] as const;
export type Fault = (typeof FAULTS)[number];
/** The n-th call of a process to the outside, counted from one. */
export type Plan = { at: number; fault: Fault } | undefined;

/** The process is gone: every further call of it ends here too, whatever its code catches. */
export class Death extends Error {
  override name = 'Death';
}

type Method = (...args: unknown[]) => Promise<unknown>;
type Target = Record<string, unknown>;

/** One process as the outside sees it: its calls are counted, and one of them goes wrong as planned. */
export class FaultyProcess {
  calls: string[] = [];
  #dead = false;
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  wrap<T extends object>(name: string, port: T): T {
    return new Proxy(port, {
      get: (target, method) => {
        const call = (target as Target)[String(method)];
        if (typeof call !== 'function' || SYNCHRONOUS.has(String(method))) return call;
        return (...args: unknown[]) => this.#through(`${name}.${String(method)}`, () => (call as Method)(...args));
      },
    });
  }

  async #through(name: string, call: () => Promise<unknown>): Promise<unknown> {
    if (this.#dead) throw new Death(name);
    this.calls.push(name);
    const plan = this.#plan;
    if (plan?.at !== this.calls.length) return call();
    switch (plan.fault) {
      case 'dies before':
        return this.#die(name);
      case 'dies after':
        await call();
        return this.#die(name);
      case 'reply lost':
        await call();
        return unanswered(name);
      default:
        return unanswered(name);
    }
  }

  #die(name: string): never {
    this.#dead = true;
    throw new Death(name);
  }
}

const SYNCHRONOUS = new Set(['has']);

/** As the adapters tell it: a write whose reply is lost is retried by the SDK and then reports a lost condition. */
function unanswered(name: string): unknown {
  if (name === 'store.save') return false;
  if (name === 'threadHost.post') return { outcome: 'unknown', why: 'no answer' } satisfies PostResult;
  throw new Error(`${name}: no answer`);
}

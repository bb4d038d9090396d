import { callsOf } from './aws-call.ts';
import { type Call, judge, type Rule } from './policy.ts';
import type { Principal, Principals } from './principals.ts';

/** A request to an emulator, as far as it says who wants what. */
export type AwsRequest = { authorization: string | undefined; target: unknown; body: () => unknown };
/** Why an emulator must refuse; each says so in its service's own form. */
export type Refusal = { reason: 'access denied' | 'unknown access key'; message: string };
/** @returns `undefined` where the call may go on */
export type Guard = (request: AwsRequest) => Refusal | undefined;

const DEFAULT_RUNNER = 'default';
const CREDENTIAL = /\bCredential=([^/,\s]+)\//;
/** There are no such services here, so nobody can be seen to use these. */
const WITHOUT_SERVICE = /^(logs|xray):/;
/** AWS's answer to a key that nobody has. */
const UNKNOWN_KEY = 'The security token included in the request is invalid.';

/**
 * Stands before every emulator and checks each call against its caller's role. Who calls is read from the access key id;
 * signatures are the gateway's business alone, since only functions and the operator know the emulators.
 */
export class AccessControl {
  readonly #operatorKey: string;
  readonly #log: (source: string, line: string) => void;
  readonly #used = new Set<Rule>();
  #functions: readonly Principal[] = [];
  #byAccessKey: ReadonlyMap<string, Principal> = new Map();
  /** Whom the operator's key stands for at the gateway: to the runner API, nobody is a runner without its role. */
  #defaultRunner: Principal | undefined;

  /** @param operatorKey may do everything at the emulators, where it sets up the stack and looks into it */
  constructor(operatorKey: string, log: (source: string, line: string) => void) {
    this.#operatorKey = operatorKey;
    this.#log = log;
  }

  /** Until then only the operator is known: the emulators listen before the template is read. */
  admit({ functions, runners }: Principals): void {
    this.#functions = functions;
    this.#byAccessKey = new Map([...functions, ...runners.values()].map((principal) => [principal.name, principal]));
    this.#defaultRunner = runners.get(DEFAULT_RUNNER);
  }

  readonly guard: Guard = ({ authorization = '', target, body }) => {
    const accessKey = CREDENTIAL.exec(authorization)?.[1] ?? '';
    if (accessKey === this.#operatorKey) return undefined;
    const principal = this.#byAccessKey.get(accessKey);
    if (!principal) return { reason: 'unknown access key', message: UNKNOWN_KEY };
    return this.#refusal(principal, callsOf(String(target), body()));
  };

  /** Who calls the gateway with this key, if its role may call `resource`: a route, as `execute-api` names it. */
  callerOf(accessKey: string, resource: string): Principal | undefined {
    const principal = accessKey === this.#operatorKey ? this.#defaultRunner : this.#byAccessKey.get(accessKey);
    return principal && !this.#refusal(principal, [{ action: 'execute-api:Invoke', resource }]) ? principal : undefined;
  }

  /** What the functions' roles allow and no call has needed so far, as `function: action on resource`. */
  unusedGrants(): string[] {
    return this.#functions.flatMap(({ name, rules }) =>
      rules
        .filter((rule) => rule.effect === 'Allow' && !this.#used.has(rule) && !WITHOUT_SERVICE.test(rule.action))
        .map(({ action, resource }) => `${name}: ${action} on ${resource}`),
    );
  }

  #refusal({ name, arn, rules }: Principal, calls: Call[]): Refusal | undefined {
    for (const call of calls) {
      const verdict = judge(rules, call);
      if (!verdict.allowed) {
        const { action, resource } = call;
        const message = `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} ${verdict.because}`;
        this.#log(name, `AccessDenied: ${message}`);
        return { reason: 'access denied', message };
      }
      for (const rule of verdict.by) this.#used.add(rule);
    }
    return undefined;
  }
}

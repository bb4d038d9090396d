import type { Item } from '#core/item.ts';
import type { NewItem, Ports } from '#core/ports.ts';
import type { promptView } from '#core/prompt-view.ts';
import type { Thread } from '#core/thread.ts';
import { reconcileDue } from '../../functions/reconciler/reconcile-due.ts';
import { resolveItem } from '../../functions/resolver/resolve-item.ts';
import { answerCall } from '../../functions/runner-api/answer-call.ts';
import { FaultyProcess, type Plan } from '../crash/faults.ts';
import { Outside } from '../crash/outside.ts';
import type { TestTable } from '../support/dynamodb.ts';

const THREAD_PATH = '/v1/threads/{revision_id}/{session_id}/{alias}';
/** Longer than any claim, pause or grace. */
const LATER_MS = 200_000;

/** What the agent was told of a request that it made: the statuses of its raises, and outcomes in the answers of calls. */
export type Request = { request_id: string; prompt_id?: string; answers: number[]; outcomes: string[] };
/**
 * One thread under a random history. Each step is one process that may die or be disturbed; nobody tries again at once,
 * as `Outside.again` does: what failed stays failed until the history ends.
 */
export class World {
  readonly outside: Outside;
  readonly requests = new Map<string, Request>();
  /** Everything that users wrote, and what of it waits to be delivered; a message that failed blocks the ones behind it. */
  readonly written: Item[] = [];
  readonly #undelivered: Item[] = [];
  readonly #blocked: Item[] = [];
  #hostIsDown = false;
  #plan: Plan;

  constructor(table: TestTable, alias: string) {
    this.outside = new Outside(table, alias, undefined);
  }
  get thread(): Thread {
    return this.outside.thread;
  }
  get undelivered(): number {
    return this.#undelivered.length + this.#blocked.length;
  }

  /** The next process goes wrong at its n-th call to the outside. */
  disturb(plan: Plan): void {
    this.#plan = plan;
  }
  setHost(isDown: boolean): void {
    this.#hostIsDown = isDown;
  }
  pass(ms: number): void {
    this.outside.now += ms;
  }

  write(text: string, more: Partial<Item> = {}): void {
    const item = this.outside.say(text, more);
    this.written.push(item);
    this.#undelivered.push(item);
  }
  async deliver(position: number): Promise<void> {
    const item = this.#blocked.shift() ?? this.#undelivered.splice(position % (this.#undelivered.length || 1), 1)[0];
    if (!item) return;
    const done = await this.#process((ports) => resolveItem(ports, this.thread, item));
    if (done === undefined) this.#blocked.push(item);
  }
  /** A webhook that comes a second time, or an operator's redrive: of anything on the thread, our own items included. */
  async redeliver(position: number): Promise<void> {
    const items = this.outside.host.items(this.thread);
    const item = items[position % (items.length || 1)];
    if (item && !this.#undelivered.includes(item))
      await this.#process((ports) => resolveItem(ports, this.thread, item));
  }

  async raise(request_id: string, more: object): Promise<void> {
    const request = this.requests.get(request_id) ?? { request_id, answers: [], outcomes: [] };
    this.requests.set(request_id, request);
    const options = [{ label: 'Approve' }, { label: 'Deny' }];
    const body = { request_id, kind: 'approval', questions: [{ question: `${request_id}?`, options }], ...more };
    const answer = await this.#call('/prompts', {}, body);
    if (!answer) return;
    request.answers.push(answer.status);
    const prompt = (answer.answer as { prompt?: ReturnType<typeof promptView> }).prompt;
    if (prompt) request.prompt_id = prompt.prompt_id;
    if (prompt?.prompt_state === 'answered' || prompt?.prompt_state === 'cancelled') this.#tell(request, prompt);
  }
  async cancel(request_id: string): Promise<void> {
    const request = this.requests.get(request_id);
    if (!request?.prompt_id) return;
    const { prompt_id } = request;
    const answer = await this.#call('/prompts/{prompt_id}/cancel', { prompt_id }, { reason: 'the run ended' });
    const prompt = (answer?.answer as { prompt?: ReturnType<typeof promptView> } | undefined)?.prompt;
    if (prompt) this.#tell(request, prompt);
  }
  async acknowledge(request_id: string): Promise<void> {
    const prompt_id = this.requests.get(request_id)?.prompt_id;
    if (prompt_id) await this.#call('/prompts/{prompt_id}/ack', { prompt_id }, undefined);
  }
  async attach(): Promise<void> {
    await this.#call('/attach', {}, {});
  }
  async reconcile(): Promise<void> {
    await this.#process(async (ports) => (await reconcileDue(ports, () => 60_000)) ?? true);
  }

  /** Faults are over: all that waits is delivered, and time passes until nothing is owed. */
  async comeToRest(): Promise<void> {
    this.setHost(false);
    this.disturb(undefined);
    for (let tries = 0; this.undelivered > 0; tries++) {
      if (tries > 100) throw new Error('I10: an item can never be delivered');
      await this.deliver(0);
      if (this.#blocked.length === 0) continue;
      this.pass(LATER_MS);
      await this.reconcile();
    }
    await this.outside.calmDown().catch(() => Promise.reject(new Error('I10: the thread never came to rest')));
  }

  async active() {
    return (await this.outside.ports(new FaultyProcess(undefined)).store.read(this.thread)).slot.active;
  }

  #tell(request: Request, { prompt_state, ...outcome }: { prompt_state: string; answers?: unknown; reason?: string }) {
    request.outcomes.push(JSON.stringify([prompt_state, outcome.answers ?? outcome.reason]));
  }

  async #call(path: string, parameters: object, body: object | undefined) {
    const text = body === undefined ? '' : JSON.stringify(body);
    return this.#process((ports) => answerCall(ports, THREAD_PATH + path, { ...this.thread, ...parameters }, text));
  }

  async #process<T>(run: (ports: Ports) => Promise<T>): Promise<T | undefined> {
    const process = new FaultyProcess(this.#plan);
    this.#plan = undefined;
    return run(this.#watched(this.outside.ports(process))).catch(() => undefined);
  }

  /** A host that is down answers nothing. */
  #watched(ports: Ports): Ports {
    const { threadHost } = ports;
    const up =
      <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        if (this.#hostIsDown) throw new Error('the host is down');
        return call(...args);
      };
    const post = async (thread: Thread, item: NewItem) => {
      if (this.#hostIsDown) return { outcome: 'unknown', why: 'the host is down' } as const;
      return threadHost.post(thread, item);
    };
    return {
      ...ports,
      threadHost: {
        ...threadHost,
        post,
        get: up(threadHost.get),
        list: up(threadHost.list),
        findOwn: up(threadHost.findOwn),
      },
    };
  }
}

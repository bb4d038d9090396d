import { mintPromptId } from '#adapters/names.ts';
import { promptStore } from '#adapters/prompt-store.ts';
import type { Item } from '#core/item.ts';
import type { Ports } from '#core/ports.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { reconcileDue } from '../../functions/reconciler/reconcile-due.ts';
import { resolveItem } from '../../functions/resolver/resolve-item.ts';
import { answerCall } from '../../functions/runner-api/answer-call.ts';
import type { CallAnswer } from '../../functions/runner-api/call.ts';
import type { TestTable } from '../support/dynamodb.ts';
import { FaultyProcess, type Plan } from './faults.ts';
import { MemoryHost } from './memory-host.ts';

const RETRIES = 8;
/** Longer than any claim and any visibility time-out: whoever was at it is certainly gone. */
const LATER_MS = 200_000;
const PROMPTS = '/v1/threads/{revision_id}/{session_id}/{alias}/prompts';

/**
 * One thread and all that is around it, over the real store: the queue that delivers again, the runner that calls again,
 * the clock. The first process of each run carries the planned fault; those that come after it are sound.
 */
export class Outside {
  readonly host = new MemoryHost();
  readonly sent: RunnerMessage[] = [];
  /** Of each of them: how many items the thread held then. */
  readonly sentAfter: number[] = [];
  readonly queue: { thread: Thread; item_id: string }[] = [];
  readonly calls: string[] = [];
  now = Date.parse('2026-05-28T12:00:00Z');
  readonly thread: Thread;
  readonly #table: TestTable;
  #plan: Plan;

  constructor(table: TestTable, alias: string, plan: Plan) {
    this.#table = table;
    this.thread = { revision_id: 'rev', session_id: 'ses', alias };
    this.#plan = plan;
  }

  say(text: string, more: Partial<Item> = {}): Item {
    return this.host.put(this.thread, 'usr_anna', { content: [{ type: 'text', text }], ...more });
  }
  deliver(item: Item): Promise<unknown> {
    return this.again(async (ports) => (await resolveItem(ports, this.thread, item)) && true);
  }
  raise(request_id: string, more: object = {}): Promise<Record<string, never>> {
    const options = [{ label: 'Approve' }, { label: 'Deny' }];
    const raise = { request_id, kind: 'approval', questions: [{ question: `${request_id}?`, options }], ...more };
    return this.again(async (ports) => {
      const answer = await answerCall(ports, PROMPTS, this.thread, JSON.stringify(raise));
      // What was given up stays so: the agent is told, and asks anew.
      if (answer.status === 503) raise.request_id += ' anew';
      return resultOf(answer);
    });
  }
  cancel(prompt_id: string): Promise<Record<string, never>> {
    return this.call(`${PROMPTS}/{prompt_id}/cancel`, { prompt_id }, { reason: 'the run ended' });
  }
  attach(): Promise<Record<string, never>> {
    return this.call('/v1/threads/{revision_id}/{session_id}/{alias}/attach', {}, {});
  }

  /** Until nothing is owed: what the queue holds, and what the reconciler finds due. */
  async calmDown(): Promise<void> {
    for (let round = 0; round < RETRIES; round++) {
      for (const { item_id } of this.queue.splice(0)) {
        const item = await this.host.get(this.thread, item_id);
        if (item) await this.deliver(item);
      }
      this.now += LATER_MS;
      await this.again(async (ports) => (await reconcileDue(ports, () => 60_000)) ?? true);
      const { slot } = await this.ports(new FaultyProcess(undefined)).store.read(this.thread);
      if (slot.outbox.length === 0 && slot.active?.state !== 'posting' && this.queue.length === 0) return;
    }
    throw new Error('the thread never came to rest');
  }

  /** As the outside does: what fails or is unavailable is tried again, later and by another process. */
  async again<T>(attempt: (ports: Ports) => Promise<T | undefined>): Promise<T> {
    for (let tries = 0; tries < RETRIES; tries++) {
      const process = new FaultyProcess(this.#plan && { ...this.#plan, at: this.#plan.at - this.calls.length });
      const result = await attempt(this.ports(process)).catch(() => undefined);
      this.calls.push(...process.calls);
      if (this.#plan && this.calls.length >= this.#plan.at) this.#plan = undefined;
      if (result !== undefined) return result;
      this.now += LATER_MS;
    }
    throw new Error('it never succeeded');
  }

  async call(route: string, path: Record<string, string>, body: object): Promise<Record<string, never>> {
    return this.again(async (ports) => {
      return resultOf(await answerCall(ports, route, { ...this.thread, ...path }, JSON.stringify(body)));
    });
  }

  ports(process: FaultyProcess): Ports {
    const store = promptStore(this.#table.client, this.#table.name, () => this.now);
    // The table is shared with other runs, whose threads are on hosts of their own.
    const isOurs = ({ alias }: Thread) => alias === this.thread.alias;
    const due = async (now: number) => (await store.due(now, 100)).filter(isOurs);
    return {
      store: process.wrap('store', { ...store, due }),
      threadHost: process.wrap('threadHost', bound(this.host)),
      runnerQueues: process.wrap('runnerQueues', {
        has: () => true,
        send: async (_runner: string, message: RunnerMessage) => {
          this.sent.push(structuredClone(message));
          this.sentAfter.push(this.host.items(this.thread).length);
        },
      }),
      threadItems: process.wrap('threadItems', {
        send: async (thread: Thread, item_id: string) => void this.queue.push({ thread, item_id }),
        retryAfter: async () => {},
      }),
      clock: {
        now: () => this.now,
        wait: async (ms) => {
          this.now += ms;
        },
      },
      telemetry: { info: () => {}, failure: () => {} },
      mintPromptId,
    };
  }
}

function resultOf({ status, answer }: CallAnswer): Record<string, never> | undefined {
  return status < 300 ? ((answer ?? {}) as Record<string, never>) : undefined;
}

/** Methods that need no `this`, as ports are used. */
function bound(host: MemoryHost): MemoryHost {
  const names = ['ownUserId', 'post', 'get', 'list', 'findOwn'] as const;
  return Object.fromEntries(names.map((name) => [name, host[name].bind(host)])) as unknown as MemoryHost;
}

import type { Item } from '#core/item.ts';
import type { Posted, Slot } from '#core/prompting/slot.ts';
import type { RaiseRequest } from '#core/raise.ts';
import { resolveItem } from '../../functions/resolver/resolve-item.ts';
import { acknowledgePrompt } from '../../functions/runner-api/acknowledge-prompt.ts';
import { attach } from '../../functions/runner-api/attach.ts';
import { CALL_BUDGET_MS, type CallAnswer } from '../../functions/runner-api/call.ts';
import { cancelPrompt } from '../../functions/runner-api/cancel-prompt.ts';
import { raisePrompt } from '../../functions/runner-api/raise-prompt.ts';
import { reconcileThread } from '../../functions/settlement/reconcile-thread.ts';
import { THREAD } from '../support/given.ts';
import { type Call, type Process, THROWN } from './process.ts';
import { Puppet } from './puppet.ts';
import { ownItem } from './scenario.ts';
import { CANCEL_REASON } from './shell/cancel-prompt.ts';
import type { State } from './state.ts';

/** Longer than any call waits for another, but for the reconciler's grace. */
const PATIENCE_MS = 30_000;

/** settlement/question.ts keeps its pauses to itself; the first is none, the last is where it gives up. */
const LOOKS = 5;

/** The real code of one process of the model, stopped at each of its side effects. */
export class RealProcess {
  readonly #puppet: Puppet;
  readonly #began: number;
  #pauses = 0;
  #end: { value: unknown } | { thrown: unknown } | undefined;

  private constructor(puppet: Puppet, run: Promise<unknown>) {
    this.#puppet = puppet;
    this.#began = puppet.now;
    run.then(
      (value) => {
        this.#end = { value };
      },
      (thrown) => {
        this.#end = { thrown };
      },
    );
  }

  /** What the model just began. */
  static async begin(process: Process, now: number, item: Item | undefined): Promise<RealProcess> {
    const frame = process.frame as unknown as { fresh?: { prompt_id: string }; prompt_id?: string };
    const puppet = new Puppet(frame.fresh?.prompt_id);
    puppet.now = now;
    const real = new RealProcess(puppet, started(process, puppet, item));
    await settled();
    return real;
  }

  /** The same side effect in the model's words, or how it ended. */
  doing(): { port: string; with: unknown } | { ended: unknown } {
    if (this.#end) return { ended: 'value' in this.#end ? outcomeOfCall(this.#end.value) : 'thrown' };
    const { waiting } = this.#puppet;
    if (!waiting) throw new Error('the real code waits for something that the model does not know');
    return { port: waiting.port, with: comparable(waiting.port, waiting.with) };
  }

  async #findNothing(): Promise<void> {
    this.#puppet.waiting?.refuse(new Error('a look that finds nothing'));
    this.#puppet.waiting = undefined;
    await settled();
  }

  /** A call of the runner that stood still for as long as it would wait for another gives up, which is not modelled. */
  isPatientAt(now: number): boolean {
    return now - this.#began <= CALL_BUDGET_MS;
  }

  /** After a post of unknown outcome it looks this often, the model as often as it likes. */
  mayLookAgain(): boolean {
    return this.#pauses < LOOKS;
  }

  /** Goes on with what the model's process got. */
  async goOn(call: Call, got: unknown, state: State): Promise<void> {
    const { waiting } = this.#puppet;
    this.#puppet.waiting = undefined;
    if (call.do === 'post') this.#pauses = 0;
    if (call.do === 'wait') this.#pauses++;
    this.#puppet.now = got === 'gave up' ? state.now + PATIENCE_MS : state.now;
    if (got === THROWN || got === 'unreadable') waiting?.refuse(new Error('a fault of the test'));
    else waiting?.answer(asReal(call, got, state));
    await settled();
    // It gives up after a look, the model in the pause before it.
    if (got === 'gave up') await this.#findNothing();
    this.#puppet.now = state.now;
  }
}

/** All that follows from an answer without another side effect is done. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function started({ name, frame }: Process, puppet: Puppet, item: Item | undefined): Promise<unknown> {
  const ports = puppet.ports();
  const [call] = name.split(' ');
  const known = frame as unknown as { fresh: RaiseRequest; prompt_id: string };
  if (item) return resolveItem(ports, THREAD, item);
  if (call === 'raise') return raisePrompt(ports, THREAD, known.fresh);
  if (call === 'cancel') return cancelPrompt(ports, THREAD, known.prompt_id, CANCEL_REASON);
  if (call === 'ack') return acknowledgePrompt(ports, THREAD, known.prompt_id);
  if (call === 'attach') return attach(ports, THREAD, undefined);
  if (call === 'reconciler') return reconcileThread(ports, THREAD);
  throw new Error(`${name} has no real process`);
}

function asReal(call: Call, got: unknown, state: State): unknown {
  if (call.do === 'save') return got !== false;
  if (call.do === 'list') return (got as Item[]).toReversed();
  const item = state.thread.find(({ id }) => id === (got as Posted | undefined)?.item_id);
  if (call.do === 'look') return item;
  if (call.do !== 'post') return got;
  return item ? { outcome: 'posted', item } : { outcome: got, why: 'a fault of the test' };
}

/** Of a call, what both sides must agree on. */
export function modelled(call: Call): { port: string; with: unknown } {
  const port = call.do;
  switch (call.do) {
    case 'save':
      return { port, with: comparable(port, call.slot) };
    case 'keep':
      return { port, with: comparable(port, call.prompt) };
    case 'receipt':
      return { port, with: { item_id: call.item_id, receipt: call.receipt } };
    case 'send':
      return { port, with: call.message };
    case 'look':
      return { port, with: { type: call.type, prompt_id: call.prompt_id } };
    case 'post':
      return { port, with: ownItem(call.prompt).metadata };
    case 'acknowledgePast':
      return { port, with: call.prompt_id };
    default:
      return { port, with: undefined };
  }
}

function comparable(port: string, given: unknown): unknown {
  if (port === 'post') return (given as Item).metadata;
  if (port === 'save') return roughly(given as Slot);
  if (port === 'keep') return roughly({ rev: 0, outbox: [given as never] });
  return port === 'read' || port === 'wait' ? undefined : given;
}

/** How long a pause is does not matter to the model, nor when exactly an outcome was acknowledged. */
const SOME_TIME = ['next_attempt_at', 'acked_at'];
const roughly = (slot: Slot): unknown =>
  JSON.parse(JSON.stringify(slot, (field, value) => (SOME_TIME.includes(field) ? 'some time' : value)));

function outcomeOfCall(value: unknown): unknown {
  const answer = value as CallAnswer | undefined;
  if (typeof answer?.status !== 'number') return 'done';
  if (answer.status === 503) return 'unavailable';
  const prompt = answer.answer?.prompt as { prompt_state: string } | undefined;
  return prompt?.prompt_state ?? 'done';
}

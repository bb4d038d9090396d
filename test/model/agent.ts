import { SUPERSEDED } from '#core/prompting/slot.ts';
import type { Configuration } from './configuration.ts';
import { type Add, begin, type Setup } from './processes.ts';
import { freshPrompt, typeOf } from './scenario.ts';
import { cancelPrompt } from './shell/cancel-prompt.ts';
import { raisePrompt } from './shell/raise-prompt.ts';
import { acknowledgePrompt, attach } from './shell/runner-calls.ts';
import { after, changed, including, initialState, may, type State } from './state.ts';

/** The agent raises; its runner cancels, acknowledges, restarts and attaches. */
export function agentCalls(state: State, setup: Setup, add: Add): void {
  const { configuration, on } = setup;
  for (const [request, { attempts }] of state.runner.raises.entries()) {
    if (!mayRaise(state, configuration, request)) continue;
    const raises = state.runner.raises.with(request, { attempts: attempts + 1 });
    const frame = raisePrompt(freshPrompt(configuration, request, attempts, on.idempotentRaise));
    const name = `raise ${request} attempt ${attempts}`;
    add(name, begin(changed(state, { raises }), { name }, frame, setup));
  }
  for (const request of configuration.cancels ?? []) {
    const { raises, cancelled } = state.runner;
    const answer = raises[request]?.answer;
    if (typeof answer !== 'object' || cancelled.includes(request)) continue;
    const from = changed(state, { cancelled: [...cancelled, request] });
    add(`cancel ${request}`, begin(from, { name: `cancel ${request}` }, cancelPrompt(answer.prompt_id), setup));
  }
  runnerCalls(state, setup, add);
}

function mayRaise(
  { runner: { raises }, processes }: State,
  { attempts = 1, overlapping }: Configuration,
  request: number,
): boolean {
  const raise = raises[request];
  const before = request === 0 || (raises[request - 1]?.attempts ?? 0) > 0;
  if (!raise || !before || raise.attempts >= attempts || typeof raise.answer === 'object') return false;
  return (
    raise.attempts === 0 || overlapping === true || !processes.some(({ name }) => name.startsWith(`raise ${request}`))
  );
}

function runnerCalls(state: State, setup: Setup, add: Add): void {
  const { attaches = 0, acknowledges } = setup.configuration;
  const { knows, stored, acked, toAttach } = state.runner;
  if (may(state, 'restart')) {
    // It acknowledges what it has stored: that it knows for ever.
    const remembered = knows.filter((prompt_id) => stored.includes(prompt_id));
    add('the runner restarts', changed(after(state, 'restart'), { knows: remembered, toAttach: attaches }));
  }
  if (may(state, 'tableLost') && isAtPeace(state)) {
    const { slot, receipts, past } = initialState(setup.configuration);
    add('the table is lost', changed({ ...after(state, 'tableLost'), slot, receipts, past }, { toAttach: attaches }));
  }
  if (toAttach > 0) {
    const name = `attach ${toAttach}`;
    add(name, begin(changed(state, { toAttach: toAttach - 1 }), { name }, attach(), setup), true);
  }
  for (const prompt_id of acknowledges ? knows : []) {
    const name = `ack ${prompt_id}`;
    if (acked.includes(prompt_id) || state.processes.some((process) => process.name === name)) continue;
    const from = changed(state, { stored: including(stored, prompt_id) });
    add(name, begin(from, { name }, acknowledgePrompt(prompt_id), setup));
  }
}

/** Owed is at most the end of superseded prompts, which come to the same end when they are adopted. */
const isAtPeace = ({ slot, processes, queue, landing, delivered, thread }: State): boolean =>
  processes.length + queue.length + landing.length === 0 &&
  slot.active?.state !== 'posting' &&
  slot.outbox.every((prompt) => prompt.state === 'cancelled' && prompt.reason === SUPERSEDED) &&
  thread.every((item, position) => typeOf(item) !== undefined || delivered[position] !== 0);

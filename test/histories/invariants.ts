import { isLater } from '#core/instant.ts';
import { type Item, metadataField, ownField } from '#core/item.ts';
import type { Answer } from '#core/prompt.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import { OWN_USER } from '../support/given.ts';
import type { World } from './world.ts';

type Outcome = Exclude<RunnerMessage, { type: 'next_turn' }>;

const promptOf = (item: Item) => metadataField(item, 'prompt');
const idOf = (item: Item) => String(ownField(promptOf(item), 'prompt_id'));
const isTyped = (item: Item) => metadataField(item, 'type') !== undefined;

/** What DESIGN's I1 to I12 say of a thread that came to rest, held against all that its people and its runner saw. */
export async function brokenInvariants(world: World): Promise<string[]> {
  const broken: string[] = [];
  const demand = (holds: boolean, what: string) => holds || broken.push(what);
  const { outside, requests, written, thread } = world;
  const active = await world.active();
  const items = outside.host.items(thread);
  const own = items.filter(({ user_id }) => user_id === OWN_USER);
  const questions = own.filter((item) => metadataField(item, 'type') === 'pending_prompt');
  const audits = own.filter((item) => metadataField(item, 'type') === 'pending_prompt_resolved');
  // The runner drops repeats by message_id; repeats that differ would be two outcomes.
  const messages = [...new Map(outside.sent.map((message) => [JSON.stringify(message), message])).values()];
  const outcomes = messages.filter((message): message is Outcome => message.type !== 'next_turn');
  demand(
    new Set(messages.map((m) => m.message_id)).size === messages.length,
    'I1: a repeat of a message differs from it',
  );

  for (const question of questions) {
    const prompt_id = idOf(question);
    const told = outcomes.filter(({ prompt }) => prompt.prompt_id === prompt_id);
    const audited = audits.filter((item) => idOf(item) === prompt_id);
    const expected = active?.prompt_id === prompt_id ? 0 : 1;
    demand(told.length === expected, `I1, I10: ${prompt_id} has ${told.length} outcomes, not ${expected}`);
    demand(audited.length === expected, `I2, I10: ${prompt_id} has ${audited.length} audit items, not ${expected}`);
    for (const audit of audited) {
      const at = items.indexOf(audit);
      const before = outside.sent.some(
        (m, n) => 'prompt' in m && m.prompt.prompt_id === prompt_id && (outside.sentAfter[n] ?? 0) <= at,
      );
      demand(before, `I3: ${prompt_id} was audited before its runner was told`);
      const [answers, reason] = [ownField(promptOf(audit), 'answers'), ownField(promptOf(audit), 'reason')];
      demand((answers === undefined) !== (reason === undefined), `I4: the audit of ${prompt_id} holds both or neither`);
      demand(
        JSON.stringify(told[0] && outcomeOf(told[0])) === JSON.stringify(answers ?? reason),
        `I1: audit and agent disagree on ${prompt_id}`,
      );
    }
    for (const outcome of told) if (outcome.type === 'prompt_answered') judgeAnswer(outcome, question);
  }
  demand(new Set(questions.map(idOf)).size === questions.length, 'P7: a question stands on the thread twice');
  const unresolved = questions.filter((item) => !audits.some((audit) => idOf(audit) === idOf(item))).map(idOf);
  demand(
    unresolved.length <= 1 && (unresolved[0] ?? active?.prompt_id) === active?.prompt_id,
    'I7: another prompt than the active one is unresolved',
  );

  for (const item of written) {
    const uses = messages.filter((message) => 'item' in message && message.item.id === item.id);
    demand(
      uses.length === (isTyped(item) || item.user_id === OWN_USER ? 0 : 1),
      `I5, I8, I10: ${item.id} was used ${uses.length} times`,
    );
  }
  for (const { item } of messages.filter((message) => 'item' in message)) {
    demand(
      written.some(({ id }) => id === item.id),
      `I8, I12: ${item.id} is nobody's item of this thread`,
    );
  }

  for (const { request_id, answers, outcomes: returned, prompt_id } of requests.values()) {
    const ofRequest = outcomes.filter((outcome) => outcome.request_id === request_id);
    demand(ofRequest.length <= 1, `P1: ${request_id} has ${ofRequest.length} outcomes`);
    // The agent goes on without a decision: whoever answers now must not be taken for one who was asked in time.
    const gaveUp = answers.includes(503) && !answers.some((status) => status < 300);
    demand(
      !gaveUp || ofRequest.every(({ type }) => type === 'prompt_cancelled'),
      `I11: ${request_id} was unavailable and is answered`,
    );
    const told = ofRequest.map((outcome) => JSON.stringify([outcome.prompt.prompt_state, outcomeOf(outcome)]));
    for (const entry of returned)
      demand(told.includes(entry), `I1, I19: a call told ${prompt_id} other than the queue`);
  }
  return broken;

  function judgeAnswer({ item, prompt }: Outcome & { type: 'prompt_answered' }, question: Item): void {
    const allowed = ownField(promptOf(question), 'allowed_user_ids');
    const named = metadataField(item, 'prompt_id');
    demand(isLater(item.created_at, question.created_at), `I6: ${item.id} answered a question asked after it`);
    demand(item.user_id !== OWN_USER && !isTyped(item), `I8: ${item.id} may answer nothing`);
    demand(!Array.isArray(allowed) || allowed.includes(item.user_id), `A6: ${item.user_id} may not answer`);
    demand(named === undefined || named === prompt.prompt_id, `A5: ${item.id} names another prompt`);
  }
}

const outcomeOf = (outcome: Outcome): Answer[] | string =>
  outcome.type === 'prompt_answered' ? outcome.prompt.answers : outcome.prompt.reason;

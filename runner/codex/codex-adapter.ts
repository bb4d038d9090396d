import * as z from 'zod';
import type { Ask, Asking, Outcome } from '../ask.ts';
import type { AskedBy, InterruptedCall } from '../interrupted-calls.ts';
import { OpenCalls } from '../open-calls.ts';
import type { PolicyCall, Verdict } from '../policy.ts';
import { approvalOf, heard, unavailable } from '../reply-texts.ts';
import {
  type ApprovalRequest,
  type Change,
  change,
  isApprovalRequest,
  readApproval,
  undecidedReply,
} from './approval-request.ts';
import type { JsonRpc, RpcNotification, RpcReply, RpcRequest } from './json-rpc.ts';
import { answersReply, isQuestionRequest, type QuestionRequest, readQuestions } from './question-request.ts';
import { type Turn, turnOf, UnreadableRequest } from './read-request.ts';

export type AdapterOptions = {
  ask: Ask;
  /**
   * The policy. Without it a person is asked about everything that Codex asks for. Codex does not say whether a command
   * would run outside its sandbox: one that is allowed here may.
   */
  decide?: (call: PolicyCall) => Verdict;
  /** The run ended: its prompts are cancelled. */
  signal?: AbortSignal;
  /** The runner goes away: its prompts stay open, and so do Codex's requests. */
  park?: AbortSignal;
  /** What a lost turn was waiting for: an identical request goes on with the same prompt, once each. */
  interrupted?: InterruptedCall[];
  allowed_user_ids?: string[];
  report?: (what: string) => void;
};
type Steer = Pick<JsonRpc, 'call'>;
type AskedRequest = Pick<QuestionRequest, 'turn' | 'request_id' | 'about' | 'call'> &
  Pick<Asking, 'kind' | 'questions'>;
/** With `refusal` for the model to read before it. */
type Told = { reply: RpcReply; refusal?: string };
type Open = {
  turn: Turn;
  id: RpcRequest['id'];
  isOver: boolean;
  /** There once it was replied to. */
  acknowledge?: () => void;
};

const METHOD_NOT_FOUND = -32_601;
const POLICY_DENIES = 'The permission policy of this agent denies this call. No person was asked.';

const startedSchema = z.object({
  threadId: z.string(),
  item: z.object({ type: z.literal('fileChange'), id: z.string(), changes: z.array(change) }),
});
const resolvedSchema = z.object({ threadId: z.string(), requestId: z.union([z.string(), z.number()]) });
const completedSchema = z.object({ threadId: z.string(), turn: z.object({ id: z.string() }) });

/**
 * Answers what `codex app-server` asks for, for one run. A reply has no room for words: what a person said, or that
 * nobody was asked, goes into the turn as a message before the reply, and the model reads both at once.
 */
export class CodexAdapter {
  readonly #options: AdapterOptions;
  readonly #calls: OpenCalls;
  readonly #interrupted: InterruptedCall[];
  readonly #changes = new Map<string, Change[]>();
  readonly #open = new Map<string, Open>();

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#calls = new OpenCalls(options.ask, options.signal, options.park);
    this.#interrupted = [...(options.interrupted ?? [])];
  }

  /** The reply to a request of Codex, or nothing where it is to stay open. Never rejects. */
  readonly answer = async (request: RpcRequest, codex: Steer): Promise<RpcReply | undefined> => {
    const isQuestion = isQuestionRequest(request);
    if (!isQuestion && !isApprovalRequest(request)) {
      this.#options.report?.(`Codex asked for ${request.method}, which this adapter does not know`);
      return { error: { code: METHOD_NOT_FOUND, message: `${request.method} is not known here` } };
    }
    try {
      if (isQuestion) return await this.#questioned(readQuestions(request), request, codex);
      const { threadId } = turnOf(request.params) ?? {};
      const approval = readApproval(request, (itemId) => this.#changes.get(JSON.stringify([threadId, itemId])));
      return await this.#decided(approval, request, codex);
    } catch (error) {
      const why = error instanceof UnreadableRequest ? error.message : 'the request could not be handled';
      this.#options.report?.(`${request.method} was not asked about: ${error}`);
      await this.#tell(codex, turnOf(request.params), unavailable(why));
      return undecidedReply(request);
    }
  };

  /** What Codex tells beside its requests: the changes it will ask for, and the requests that it gave up. */
  readonly notified = ({ method, params }: RpcNotification): void => {
    if (method === 'item/started') this.remember(params);
    if (method === 'serverRequest/resolved') {
      const { data } = resolvedSchema.safeParse(params);
      this.#close(({ turn, id }) => turn.threadId === data?.threadId && id === data.requestId);
    }
    if (method === 'turn/completed') {
      const { data } = completedSchema.safeParse(params);
      this.#close(({ turn }) => turn.threadId === data?.threadId && turn.turnId === data.turn.id);
    }
  };

  /** A file change that is to be asked about; its request does not tell it. Anything else is passed over. */
  remember(started: unknown): void {
    const { data } = startedSchema.safeParse(started);
    if (data) this.#changes.set(JSON.stringify([data.threadId, data.item.id]), data.item.changes);
  }

  /** The turn is over, and whatever else was at work for it: nobody waits for an answer any more. */
  ended(): void {
    this.#close(() => true);
  }

  async #decided(approval: ApprovalRequest, request: RpcRequest, codex: Steer): Promise<RpcReply | undefined> {
    const verdict = this.#verdict(approval.calls);
    if (verdict === 'allow') return approval.accept;
    if (verdict === 'deny') return this.#refused(approval, POLICY_DENIES, approval.undecided, codex);

    const asked = { ...approval, kind: 'approval' as const, questions: [approval.question] };
    return this.#asked(asked, request, codex, (outcome) => {
      const told = approvalOf(outcome);
      if (told === 'approved') return { reply: approval.accept };
      return { reply: told.decided ? approval.decline : approval.undecided, refusal: told.refusal };
    });
  }

  #questioned(questions: QuestionRequest, request: RpcRequest, codex: Steer): Promise<RpcReply | undefined> {
    const asked = { ...questions, kind: 'ask_user_question' as const };
    return this.#asked(asked, request, codex, (outcome) => {
      const told = heard(outcome, asked.questions.length);
      if ('answers' in told) return { reply: answersReply(questions, told.answers) };
      return { reply: undecidedReply(request), refusal: told.refusal };
    });
  }

  async #asked(
    asked: AskedRequest,
    request: RpcRequest,
    codex: Steer,
    tell: (outcome: Exclude<Outcome, { state: 'parked' }>) => Told,
  ): Promise<RpcReply | undefined> {
    const open: Open = { turn: asked.turn, id: request.id, isOver: false };
    this.#open.set(asked.request_id, open);
    const outcome = await this.#calls.outcome(asked.request_id, () => this.#asking(asked));
    // Whoever stops the run ends Codex: a reply would only let it go on for a moment.
    if (outcome.state === 'parked' || open.isOver || this.#options.signal?.aborted) return undefined;
    const { reply, refusal } = tell(outcome);
    if (refusal !== undefined) await this.#refused(asked, refusal, reply, codex);
    // Codex may have given it up while the words were on their way.
    if (open.isOver) return undefined;
    open.acknowledge = () => void outcome.acknowledge?.();
    return reply;
  }

  async #refused(
    { turn, about }: Pick<AskedRequest, 'turn' | 'about'>,
    refusal: string,
    reply: RpcReply,
    codex: Steer,
  ): Promise<RpcReply> {
    await this.#tell(codex, turn, `${refusal}\n\nThis is about: ${about}`);
    return reply;
  }

  /** Not told where the turn takes no message: the reply alone then says less, and nothing that is wrong. */
  async #tell(codex: Steer, turn: Turn | undefined, text: string): Promise<void> {
    if (!turn) return;
    const { threadId, turnId: expectedTurnId } = turn;
    const input = [{ type: 'text', text, text_elements: [] }];
    try {
      await codex.call('turn/steer', { threadId, expectedTurnId, input });
    } catch (error) {
      this.#options.report?.(`the model could not be told why: ${error}`);
    }
  }

  #verdict(calls: PolicyCall[]): Verdict {
    const { decide } = this.#options;
    if (!decide) return 'ask';
    try {
      const verdicts = calls.map(decide);
      if (verdicts.includes('deny')) return 'deny';
      return verdicts.every((verdict) => verdict === 'allow') ? 'allow' : 'ask';
    } catch {
      // A policy that cannot say is no leave to go on: a person decides.
      return 'ask';
    }
  }

  #asking({ request_id, kind, questions, call, turn }: AskedRequest): Asking {
    const { allowed_user_ids } = this.#options;
    const session: AskedBy = { harness: 'codex', session_id: turn.threadId, call };
    const at = this.#interrupted.findIndex((interrupted) => interrupted.call === call);
    const [goesOn] = at < 0 ? [] : this.#interrupted.splice(at, 1);
    return {
      request_id: goesOn?.request_id ?? request_id,
      kind,
      questions,
      session,
      ...(allowed_user_ids && { allowed_user_ids }),
    };
  }

  /**
   * Codex has no more use for these: it has our reply, or gave them up. A reply that it has is acknowledged at once and
   * not at the end of the turn, or an identical call after the loss of Codex would take the same approval again.
   */
  #close(isMeant: (open: Open) => boolean): void {
    for (const [request_id, open] of this.#open) {
      if (!isMeant(open)) continue;
      open.isOver = true;
      this.#open.delete(request_id);
      if (open.acknowledge) open.acknowledge();
      else this.#calls.drop(request_id);
    }
  }
}

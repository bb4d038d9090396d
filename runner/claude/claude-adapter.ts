import type { Question } from '#core/prompt.ts';
import type { Ask, Asking, Outcome } from '../ask.ts';
import type { AskedBy, InterruptedCall } from '../interrupted-calls.ts';
import { OpenCalls } from '../open-calls.ts';
import { approvalOf, heard } from '../reply-texts.ts';
import type { GivenOutcome } from '../run.ts';
import type {
  AgentOptions,
  AgentSdk,
  CallDetails,
  HookMatcher,
  HookOutput,
  McpToolResult,
  PermissionResult,
  PreToolUse,
  ToolInput,
} from './agent-sdk.ts';
import { approvalQuestion } from './approval-question.ts';
import { BUILT_IN, questionsOf, withAnswers } from './ask-user-question.ts';
import { ASK_USER, askUserServer } from './ask-user-tool.ts';
import { fingerprint } from './fingerprint.ts';

export type ToolCall = { tool: string; input: ToolInput };
export type Verdict = 'allow' | 'deny' | 'ask';

export type AdapterOptions = {
  sdk: Pick<AgentSdk, 'createSdkMcpServer'>;
  ask: Ask;
  /** The `guarded` policy. Without it those calls are asked about for which Claude Code itself wants a permission. */
  decide?: (call: ToolCall) => Verdict;
  /** Milliseconds that a question keeps the harness's process alive; after that the call is deferred. Default 5 min. */
  holdMs?: number;
  /** The run ended: its prompts are cancelled. */
  signal?: AbortSignal;
  /** The runner goes away: its prompts stay open. */
  park?: AbortSignal;
  /** What a killed run was waiting for: an identical call goes on with the same prompt, once each. */
  interrupted?: InterruptedCall[];
  allowed_user_ids?: string[];
};

const HOLD_MS = 5 * 60_000;
/** The hook must answer before the harness gives it up and the model reads of a host that cannot be reached. */
const HOOK_TIMEOUT_S = 86_400;
const LONGEST_HOLD_MS = 23 * 3_600_000;
const OTHER_CALL_WAITS = 'another call of the same message is waiting for a person; make this one after it';
const POLICY_DENIES = 'The permission policy of this agent denies this call. No person was asked.';

/**
 * Claude Code's questions to people, as options for the SDK's `query`. One adapter lasts for one run, over all the
 * processes that a run has when it waits for long.
 */
export class ClaudeAdapter {
  readonly #options: AdapterOptions;
  readonly #open: OpenCalls;
  readonly #holdMs: number;
  readonly #interrupted: InterruptedCall[];
  /** Of the calls whose outcome was given. */
  readonly #acknowledge = new Map<string, () => void>();
  #sessionId: string | undefined;
  #deferred: Call | undefined;
  #called: () => void = () => {};

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#open = new OpenCalls(options.ask, options.signal, options.park);
    this.#holdMs = Math.min(options.holdMs ?? HOLD_MS, LONGEST_HOLD_MS);
    this.#interrupted = [...(options.interrupted ?? [])];
  }

  /**
   * The given options of `query` with the adapter's beside them, for one new process of the harness.
   * @param called the process has made a call
   */
  forProcess(given: AgentOptions, called: () => void = () => {}): AgentOptions {
    this.#deferred = undefined;
    this.#called = called;
    const hook = { timeout: HOOK_TIMEOUT_S, hooks: [this.#beforeTool as HookMatcher['hooks'][number]] };
    return {
      ...given,
      canUseTool: this.#canUseTool,
      hooks: { ...given.hooks, PreToolUse: [...(given.hooks?.PreToolUse ?? []), hook] },
      mcpServers: { ...given.mcpServers, ...askUserServer(this.#options.sdk, this.#askUser) },
      // A question never needs an approval first.
      allowedTools: [...(given.allowedTools ?? []), ASK_USER],
    };
  }

  /** True once a call was deferred in this process, which then soon ends by itself. */
  get hasDeferred(): boolean {
    return this.#deferred !== undefined;
  }

  /** The process is gone: whatever waited in it is given up, except the call that was deferred. */
  processEnded(): void {
    this.#open.dropAllBut(this.#deferred?.id);
  }

  /**
   * The results of these calls are in the session. Their outcomes are acknowledged at once and not at the end of the turn,
   * or an identical call after a crash would take the same approval again.
   */
  callsEnded(ids: string[]): void {
    for (const id of ids) this.#acknowledge.get(id)?.();
  }

  /** Waits for the person whose answer the deferred call needs; the next process picks the outcome up. */
  async deferredOutcome(): Promise<Outcome['state'] | undefined> {
    if (this.#options.park?.aborted) return 'parked';
    return this.#deferred && (await this.#ask(this.#deferred)).state;
  }

  /**
   * Runs before every call. Here alone a call can be put off past the end of the process, so here a person is asked
   * first; what the person said is given by the permission callback or the tool, in words without a hook's frame.
   */
  readonly #beforeTool = async (input: PreToolUse): Promise<HookOutput> => {
    this.#called();
    this.#sessionId = input.session_id;
    const call = { id: input.tool_use_id, tool: input.tool_name, input: Object(input.tool_input) as ToolInput };
    const verdict = isQuestion(call) ? 'ask' : this.#decide(call);
    if (verdict === undefined || verdict === 'allow') return {};
    // A subagent's deferred call would be lost with the subagent; the permission callback holds it without a limit.
    if (verdict === 'ask' && input.agent_id === undefined && !this.#otherCallWaits(call)) {
      if (!(await this.#settles(call)) && !this.#otherCallWaits(call)) {
        this.#deferred = call;
        return decision('defer');
      }
    }
    return isQuestion(call) ? {} : decision('ask');
  };

  readonly #canUseTool = async (tool: string, input: ToolInput, details: CallDetails): Promise<PermissionResult> => {
    this.#called();
    // The tool itself asks; a settings rule may still bring its call here.
    if (tool === ASK_USER) return { behavior: 'allow', updatedInput: input };
    const call = { id: details.toolUseID, tool, input, details };
    const verdict = isQuestion(call) ? 'ask' : (this.#decide(call) ?? 'ask');
    if (verdict === 'allow' && !details.matchedAskRule) return { behavior: 'allow', updatedInput: input };
    if (verdict === 'deny') return { behavior: 'deny', message: POLICY_DENIES };
    const outcome = await this.#outcome(call, details.signal);
    if (tool === BUILT_IN) {
      const told = heard(outcome, questionsOf(input).length);
      if ('refusal' in told) return { behavior: 'deny', message: told.refusal };
      return { behavior: 'allow', updatedInput: withAnswers(input, questionsOf(input), told.answers) };
    }
    const approval = approvalOf(outcome);
    // This once: the suggestions for lasting permissions are never taken up.
    if (approval === 'approved') return { behavior: 'allow', updatedInput: input };
    return { behavior: 'deny', message: approval.refusal };
  };

  readonly #askUser = async (id: string, input: ToolInput, signal?: AbortSignal): Promise<McpToolResult> => {
    const outcome = await this.#outcome({ id, tool: ASK_USER, input }, signal);
    const told = heard(outcome, questionsFor({ id, tool: ASK_USER, input }).length);
    if ('refusal' in told) return { isError: true, content: [{ type: 'text', text: told.refusal }] };
    return { content: [{ type: 'text', text: JSON.stringify({ answers: told.answers }) }] };
  };

  /** What the model is to read of a call. While the runner goes away that is nothing: the call stays as it is. */
  async #outcome(call: Call, signal: AbortSignal | undefined): Promise<Settled> {
    if (this.#otherCallWaits(call)) {
      this.#open.drop(call.id);
      return { state: 'unavailable', message: OTHER_CALL_WAITS };
    }
    const asked = this.#ask(call);
    if (signal?.aborted) this.#open.drop(call.id);
    signal?.addEventListener('abort', () => this.#open.drop(call.id), { once: true });
    const outcome = await asked;
    if (outcome.state === 'parked') return new Promise(() => {});
    const { acknowledge } = outcome;
    if (acknowledge) this.#acknowledge.set(call.id, () => void acknowledge());
    return outcome;
  }

  /** Two deferred calls of one message: the harness would keep the last and lose the others without a trace. */
  #otherCallWaits(call: Call): boolean {
    return this.#deferred !== undefined && this.#deferred.id !== call.id;
  }

  /** Whether the question ends while the process may be held for it. */
  async #settles(call: Call): Promise<boolean> {
    const held = Promise.withResolvers<boolean>();
    const timer = setTimeout(held.resolve, this.#holdMs, false);
    const outcome = this.#ask(call).then(({ state }) => state !== 'parked');
    return Promise.race([outcome, held.promise]).finally(() => clearTimeout(timer));
  }

  #decide(call: Call): Verdict | undefined {
    try {
      return this.#options.decide?.({ tool: call.tool, input: call.input });
    } catch {
      // A policy that cannot say is no leave to go on: a person decides.
      return 'ask';
    }
  }

  #ask(call: Call): Promise<GivenOutcome> {
    return this.#open.outcome(call.id, () => this.#asking(call));
  }

  #asking(call: Call): Asking {
    const { allowed_user_ids } = this.#options;
    const name = fingerprint(call.tool, call.input);
    const session: AskedBy = {
      harness: 'claude-code',
      call: name,
      ...(this.#sessionId && { session_id: this.#sessionId }),
    };
    const at = this.#interrupted.findIndex(({ call }) => call === name);
    const [goesOn] = at < 0 ? [] : this.#interrupted.splice(at, 1);
    return {
      request_id: goesOn?.request_id ?? call.id,
      kind: isQuestion(call) ? 'ask_user_question' : 'approval',
      questions: questionsFor(call),
      session,
      ...(allowed_user_ids && { allowed_user_ids }),
    };
  }
}

type Call = ToolCall & { id: string; details?: CallDetails };
type Settled = Exclude<Outcome, { state: 'parked' }>;

function isQuestion({ tool }: ToolCall): boolean {
  return tool === BUILT_IN || tool === ASK_USER;
}

function questionsFor({ tool, input, details }: Call): Question[] {
  if (tool === ASK_USER) return Array.isArray(input.questions) ? (input.questions as Question[]) : [];
  return tool === BUILT_IN ? questionsOf(input) : [approvalQuestion(tool, input, details ?? {})];
}

function decision(permissionDecision: 'ask' | 'defer'): HookOutput {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } };
}

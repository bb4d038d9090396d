/** What a call of the runner API answers: an HTTP status and, but for 204, a JSON body. */
export type CallAnswer = { status: number; answer?: Record<string, unknown> };

/** Errors are a code for programs and one sentence for people (interface.md). */
export function refusal(status: number, error: string, message: string, details?: unknown): CallAnswer {
  return { status, answer: { error, message, ...(details !== undefined && { details }) } };
}

export const UNKNOWN_PROMPT = refusal(404, 'unknown_prompt', 'This thread has no such prompt.');

/**
 * The question was never asked, and the agent is told so in these terms, never that a human refused (contract, "If the
 * prompt cannot be posted").
 */
export function unavailable(why: string): CallAnswer {
  return refusal(503, 'prompt_unavailable', `Approval unavailable: ${why}. No human saw or refused it.`);
}

/** A raise answers within 25 s (interface.md 5); whoever waits for another call gives up before. */
export const CALL_BUDGET_MS = 20_000;
/** How long to pause before looking again at what another call is doing. */
export const PAUSE_MS = 250;

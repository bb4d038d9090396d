import type { LogFields } from '#core/ports.ts';
import { isPromptId } from '#core/prompt-id.ts';
import type { Decision } from '#core/prompting/decide.ts';

/** What the log and the metrics tell of one item: ids, kinds and paths, never a text (I16). */
export function reportDecision(decision: Decision): { fields: LogFields; metrics: Record<string, number> } {
  const { do: outcome } = decision;
  switch (decision.do) {
    case 'settle': {
      const { prompt, mapping } = decision;
      const { paths, refused } = mapping;
      const fields = { outcome, prompt_id: prompt.prompt_id, kind: prompt.kind, paths: paths.join(','), refused };
      return { fields, metrics: { Answered: 1, ...(refused && { StructuredRefused: 1 }) } };
    }
    case 'next_turn': {
      const { because, stale_for = '' } = decision;
      // Anybody can write a name into an item: only what looks like one of ours is told.
      const named = isPromptId(stale_for) ? stale_for : undefined;
      return { fields: { outcome, because, stale_for: named }, metrics: { NextTurn: 1, ...metricOf(because) } };
    }
    case 'ignore':
      return { fields: { outcome, because: decision.because }, metrics: { Ignored: 1, ...metricOf(decision.because) } };
    case 'wait':
      return { fields: { outcome, prompt_id: decision.prompt.prompt_id }, metrics: {} };
    default:
      return { fields: { outcome, prompt_id: decision.prompt_id }, metrics: {} };
  }
}

/** `not_allowed` is counted as `NotAllowed`. */
function metricOf(because: string): Record<string, number> {
  return { [because.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())]: 1 };
}

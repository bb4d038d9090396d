import { millisecondsBetween } from '#core/instant.ts';
import type { Item } from '#core/item.ts';
import type { MappingPath } from '#core/mapping/map-answers.ts';
import type { MetricName, Metrics } from '#core/metrics.ts';
import type { LogFields } from '#core/ports.ts';
import { isPromptId } from '#core/prompt-id.ts';
import type { Decision, IgnoredBecause, NextTurnBecause } from '#core/prompting/decide.ts';

/** What the log and the metrics tell of one item: ids, kinds and paths, never a text (I16). */
export function reportDecision(decision: Decision, item: Item): { fields: LogFields; metrics: Metrics } {
  const { do: outcome } = decision;
  switch (decision.do) {
    case 'settle': {
      const { prompt, mapping } = decision;
      const { paths, refused } = mapping;
      const fields = { outcome, prompt_id: prompt.prompt_id, kind: prompt.kind, paths: paths.join(','), refused };
      const waitedMs = millisecondsBetween(prompt.posted_at, item.created_at);
      const metrics: Metrics = { Answered: 1, ...(refused && { StructuredRefused: 1 }), ...countPaths(paths) };
      return { fields, metrics: { ...metrics, ...(waitedMs !== undefined && { TimeToAnswerMs: waitedMs }) } };
    }
    case 'next_turn': {
      const { because, stale_for = '' } = decision;
      // Anybody can write a name into an item: only what looks like one of ours is told.
      const named = isPromptId(stale_for) ? stale_for : undefined;
      return { fields: { outcome, because, stale_for: named }, metrics: { NextTurn: 1, [REASONS[because]]: 1 } };
    }
    case 'ignore': {
      const { because } = decision;
      return { fields: { outcome, because }, metrics: { Ignored: 1, [REASONS[because]]: 1 } };
    }
    case 'wait':
      return { fields: { outcome, prompt_id: decision.prompt.prompt_id }, metrics: {} };
    default: {
      const { prompt_id } = decision;
      return { fields: { outcome, prompt_id: isPromptId(prompt_id) ? prompt_id : undefined }, metrics: {} };
    }
  }
}

const REASONS: Record<NextTurnBecause | IgnoredBecause, MetricName> = {
  no_open_prompt: 'NoOpenPrompt',
  written_before_the_question: 'WrittenBeforeTheQuestion',
  names_another_prompt: 'NamesAnotherPrompt',
  not_allowed: 'NotAllowed',
  no_text: 'NoText',
  answer_too_large: 'AnswerTooLarge',
  duplicate: 'Duplicate',
  own_item: 'OwnItem',
  typed_item: 'TypedItem',
  empty_item: 'EmptyItem',
};

const PATHS: Record<MappingPath, MetricName> = {
  structured: 'MappedStructured',
  token: 'MappedToken',
  deny_by_default: 'MappedDenyByDefault',
  number: 'MappedNumber',
  label: 'MappedLabel',
  text: 'MappedText',
  other: 'MappedOther',
};

function countPaths(paths: MappingPath[]): Metrics {
  const counts: Metrics = {};
  for (const path of paths) counts[PATHS[path]] = (counts[PATHS[path]] ?? 0) + 1;
  return counts;
}

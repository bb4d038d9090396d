import type { Question } from '#core/prompt.ts';
import { indented, shownField } from '../shown-field.ts';
import type { CallDetails, ToolInput } from './agent-sdk.ts';

type Telling = Partial<Pick<CallDetails, 'title' | 'displayName' | 'description' | 'blockedPath' | 'decisionReason'>>;

/** The fields that say best what a call does; where a call has none of them, its whole input is shown. */
const TELLING_FIELDS = ['command', 'file_path', 'notebook_path', 'url', 'path', 'pattern', 'query'];

/**
 * The question of an approval: who wants what, and why, as the harness tells it. The input is shown whole and never cut,
 * since a person answers for all of it; one that is too large for a prompt comes back from `ask` as unavailable.
 */
export function approvalQuestion(toolName: string, input: ToolInput, details: Telling): Question {
  const head = details.title ?? `Claude wants to use ${details.displayName ?? toolName}`;
  const { acting, remark } = parted(toolName, input);
  const shown = shownInput(acting);
  const notes = [
    details.description ?? remark,
    details.blockedPath && `Path: ${details.blockedPath}`,
    details.decisionReason && `Reason: ${details.decisionReason}`,
  ].filter((note) => note && !shown.includes(note));
  const question = [head, indented(shown), ...new Set(notes)].filter((part) => part !== '').join('\n\n');
  return { question, options: [{ label: 'Approve' }, { label: 'Deny' }] };
}

/** Bash has the model say in a `description` what its command does. Any other tool's fields may all do something. */
export function parted(toolName: string, input: ToolInput): { acting: ToolInput; remark?: string } {
  const { description, ...acting } = input;
  return toolName === 'Bash' && typeof description === 'string' ? { acting, remark: description } : { acting: input };
}

function shownInput(input: ToolInput): string {
  const names = Object.keys(input);
  const [only] = names;
  if (names.length === 0) return '';
  if (names.length === 1 && only !== undefined && TELLING_FIELDS.includes(only) && typeof input[only] === 'string') {
    return input[only];
  }
  return names.map((name) => shownField(name, input[name])).join('\n');
}

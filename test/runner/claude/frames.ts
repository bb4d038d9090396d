import type { AgentMessage, CallDetails, PreToolUse, ToolInput } from '../../../runner/claude/agent-sdk.ts';
import frames from './frames.json' with { type: 'json' };

/** What the real Claude Code 2.1.332 handed over, as test/harness/claude/record-frames.ts recorded it. */
export type Scene = keyof typeof frames;
type Frame = {
  from: string;
  input?: unknown;
  tool?: string;
  args?: ToolInput;
  meta?: Record<string, unknown>;
  message?: AgentMessage;
  details?: Omit<CallDetails, 'signal'>;
};

function framesOf(scene: Scene, from: string): Frame[] {
  return (frames[scene] as Frame[]).filter((frame) => frame.from === from);
}

/** The n-th input of the hook, of the scene's calls of this tool. */
export function hookOf(scene: Scene, tool?: string, n = 0): PreToolUse {
  const inputs = framesOf(scene, 'hook').map(({ input }) => input as PreToolUse);
  return given(inputs.filter(({ tool_name }) => tool === undefined || tool_name === tool)[n]);
}

export function callbackOf(scene: Scene, n = 0): { tool: string; input: ToolInput; details: CallDetails } {
  const { tool = '', input, details } = given(framesOf(scene, 'canUseTool')[n]);
  return { tool, input: input as ToolInput, details: { ...given(details), signal: new AbortController().signal } };
}

export function toolCallOf(scene: Scene): { args: ToolInput; extra: { _meta: Record<string, unknown> } } {
  const { args, meta } = given(framesOf(scene, 'tool')[0]);
  return { args: given(args), extra: { _meta: given(meta) } };
}

/** The messages of each process of the scene. */
export function processesOf(scene: Scene): AgentMessage[][] {
  const processes: AgentMessage[][] = [];
  for (const { from, message } of frames[scene] as Frame[]) {
    if (from === 'process') processes.push([]);
    if (from === 'message') processes.at(-1)?.push(given(message));
  }
  return processes;
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not in the recording');
  return value;
}

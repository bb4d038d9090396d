import * as z from 'zod';
import type { AgentSdk, McpToolResult, ToolInput } from './agent-sdk.ts';

const SERVER = 'interactive';
const TOOL = 'ask_user';
export const ASK_USER = `mcp__${SERVER}__${TOOL}`;

const DESCRIPTION =
  "Ask the user one or more questions and wait for the answers, however long that takes. A question with options takes one label, or several with multiSelect; one without options takes free text. The user can always answer with free text via 'Other'.";
const option = z.object({ label: z.string(), description: z.string().optional() });
const question = z.object({
  question: z.string(),
  multiSelect: z.boolean().optional(),
  options: z.array(option).optional(),
});
const shape = { questions: z.array(question).min(1).max(20) };

/** `ask_user` (contract, "Prompt kinds") as a server in this process, always in the model's sight. */
export function askUserServer(
  sdk: Pick<AgentSdk, 'createSdkMcpServer'>,
  answer: (callId: string, input: ToolInput, signal?: AbortSignal) => Promise<McpToolResult>,
): Record<string, never> {
  const tool = {
    name: TOOL,
    description: DESCRIPTION,
    inputSchema: shape as never,
    handler: (args: ToolInput, extra: unknown) => {
      const { _meta, signal } = extra as { _meta?: Record<string, unknown>; signal?: AbortSignal };
      const callId = _meta?.['claudecode/toolUseId'];
      if (typeof callId !== 'string') throw new Error('Claude Code did not name the tool call');
      return answer(callId, args, signal);
    },
  };
  // Without `alwaysLoad` the model would have to search for the tool first.
  return { [SERVER]: sdk.createSdkMcpServer({ name: SERVER, alwaysLoad: true, tools: [tool] }) as never };
}

import type { Readable, Writable } from 'node:stream';

/**
 * What the adapter uses of `@anthropic-ai/claude-agent-sdk` 0.3.332, told structurally, so that nothing here needs the
 * SDK (384 MB) to be compiled. `npm run test:harness` compiles the real SDK against these.
 */
export type AgentSdk = {
  query(call: { prompt: AsyncIterable<UserMessage>; options?: AgentOptions }): AsyncIterable<AgentMessage>;
  createSdkMcpServer(options: { name: string; alwaysLoad?: boolean; tools?: McpTool[] }): unknown;
};

export type AgentOptions = {
  canUseTool?: CanUseTool;
  hooks?: Partial<Record<string, HookMatcher[]>>;
  mcpServers?: Record<string, never>;
  allowedTools?: string[];
  resume?: string;
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
  [option: string]: unknown;
};

export type ToolInput = Record<string, unknown>;
export type CanUseTool = (toolName: string, input: ToolInput, details: CallDetails) => Promise<PermissionResult>;
/** What the harness tells of a call that needs a permission. */
export type CallDetails = {
  signal: AbortSignal;
  toolUseID: string;
  title?: string;
  displayName?: string;
  description?: string;
  blockedPath?: string;
  decisionReason?: string;
  agentID?: string;
  /** The person's own settings demand a prompt for this call. */
  matchedAskRule?: { source: string; toolName: string };
};
export type PermissionResult = { behavior: 'allow'; updatedInput: ToolInput } | { behavior: 'deny'; message: string };

export type HookMatcher = {
  matcher?: string;
  /** Seconds; the harness's default is 600. */
  timeout?: number;
  hooks: ((input: never, toolUseID: string | undefined, options: { signal: AbortSignal }) => Promise<HookOutput>)[];
};
/** `agent_id` is there within a subagent. */
export type PreToolUse = {
  session_id: string;
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  agent_id?: string;
};
export type HookOutput = {
  hookSpecificOutput?: { hookEventName: 'PreToolUse'; permissionDecision: 'ask' | 'defer' };
};

export type McpTool = {
  name: string;
  description: string;
  inputSchema: never;
  handler: (args: ToolInput, extra: unknown) => Promise<McpToolResult>;
};
export type McpToolResult = { content: { type: 'text'; text: string }[]; isError?: boolean };

export type UserMessage = {
  type: 'user';
  message: { role: 'user'; content: string };
  parent_tool_use_id: null;
};
/** The fields the adapter looks at; every message is handed on as it came. */
export type AgentMessage = {
  type: string;
  subtype?: string;
  session_id?: string;
  claude_code_version?: string;
  stop_reason?: string | null;
  deferred_tool_use?: { id: string; name: string };
  message?: unknown;
};

export type SpawnOptions = {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
};
export type SpawnedProcess = {
  stdin: Writable;
  stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: 'error', listener: (error: Error) => void): void;
  off(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
};

import path from 'node:path';
import { exec, firstThen, type Script } from './codex-workshop.ts';

/** For Codex's configuration: the model may ask for permissions. */
export const PERMISSIONS = 'features.request_permissions_tool = true\n';

export function permissions(folder: string): Script {
  return firstThen({
    type: 'function_call',
    name: 'request_permissions',
    arguments: {
      reason: 'to write the report',
      permissions: {
        network: { enabled: true },
        file_system: { entries: [{ path: { type: 'path', path: folder }, access: 'write' }] },
      },
    },
  });
}

/** For Codex's configuration: an MCP server with a tool. */
export const MCP = `[mcp_servers.files]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(path.join(import.meta.dirname, 'mcp-server.ts'))}]
`;

export function makeFile(file: string): Script {
  return firstThen({ type: 'function_call', name: 'make_file', namespace: 'mcp__files', arguments: { file } });
}

/** For Codex's configuration: the model may ask questions not only while it plans. */
export const QUESTIONS = 'features.default_mode_request_user_input = true\n';

export function questions(question: string): Script {
  const options = [
    { label: 'CSV import', description: 'people upload a file' },
    { label: 'API', description: 'the billing service' },
  ];
  const asked = [
    { id: 'source', header: 'Source', question, options },
    {
      id: 'copy',
      header: 'Copy',
      question: 'Keep a copy?',
      options: options.map(({ label }) => ({ label, description: '' })),
    },
  ];
  return firstThen({ type: 'function_call', name: 'request_user_input', arguments: { questions: asked } });
}

/** For Codex's configuration: the model may have subagents. */
export const SUBAGENTS = 'features.multi_agent_v2 = true\n';

/** A subagent that makes one call; its parent meanwhile makes another, and ends when that has ended. */
export function subagent(command: string, ...parents: Parameters<typeof firstThen>): Script {
  const spawn = { task_name: 'child', message: 'Do this.', fork_turns: 'none' };
  return (turn) => {
    const isParent = turn.history.includes('Do it.');
    if (!isParent) return firstThen(exec(command))(turn);
    if (turn.results.some((result) => result.includes('task_name'))) return parents;
    return firstThen({ type: 'function_call', name: 'spawn_agent', namespace: 'collaboration', arguments: spawn })(
      turn,
    );
  };
}

/** The parent's call that waits for its subagent. */
export const AWAIT_SUBAGENT = {
  type: 'function_call' as const,
  name: 'wait_agent',
  namespace: 'collaboration',
  arguments: { timeout_ms: 60_000 },
};

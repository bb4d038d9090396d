import path from 'node:path';
import { firstThen, type Script } from './codex-workshop.ts';

/** For Codex's configuration: the model may ask for permissions. */
export const PERMISSIONS = '[features]\nrequest_permissions_tool = true\n';

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

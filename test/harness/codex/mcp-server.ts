import { writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

/** A tool that somebody should be asked about. */
const server = new McpServer({ name: 'files', version: '1.0.0' });
const inputSchema = { file: z.string() };
server.registerTool('make_file', { description: 'Makes an empty file.', inputSchema }, async ({ file }) => {
  writeFileSync(file, '');
  return { content: [{ type: 'text', text: `made ${file}` }] };
});
await server.connect(new StdioServerTransport());

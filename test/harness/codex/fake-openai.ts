import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';

/** What the scripted model says: text, or calls of tools. */
export type Say =
  | { type: 'message'; text: string }
  | { type: 'function_call'; name: string; namespace?: string; arguments: object }
  | { type: 'custom_tool_call'; name: string; input: string };
/** One request of the agent for the model's next words. */
export type Turn = {
  /** What the tools said since the model's last words. */
  results: string[];
  /** What users said since then. */
  heard: string[];
  /** All that is in the conversation, as one text. */
  history: string;
  tools: { name?: string; type?: string; tools?: { name: string }[] }[];
};
export type FakeOpenAi = { url: string; turns: Turn[]; stop: () => Promise<void> };
type Input = { type: string; role?: string; content?: { text?: string }[]; output?: unknown };

/** OpenAI's Responses API on 127.0.0.1 as far as Codex uses it, with a script in place of the model. */
export async function startFakeOpenAi(script: (turn: Turn) => Say[]): Promise<FakeOpenAi> {
  const turns: Turn[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    if (request.method !== 'POST' || !pathOf(request).endsWith('/responses')) {
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"fake"}}');
    }
    const text = request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(bytes) : bytes;
    const turn = turnOf(JSON.parse(String(text)));
    turns.push(turn);
    stream(response, script(turn));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    turns,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function pathOf(request: IncomingMessage): string {
  return new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
}

function turnOf({ input = [], tools = [] }: { input?: Input[]; tools?: Turn['tools'] }): Turn {
  const own = ({ type, role }: Input) => role === 'assistant' || /_call$/.test(type);
  const since = input.slice(input.findLastIndex(own) + 1);
  return {
    results: since.filter(({ type }) => /_output$/.test(type)).map(({ output }) => textOf(output)),
    heard: since
      .filter(({ role }) => role === 'user')
      .map(({ content = [] }) => content.map(({ text }) => text).join('\n')),
    history: JSON.stringify(input),
    tools,
  };
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function stream(response: ServerResponse, said: Say[]): void {
  const send = (type: string, event: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const id = newId('resp');
  send('response.created', { response: { id, object: 'response', status: 'in_progress', output: [] } });
  for (const [output_index, say] of said.entries()) {
    const item = itemOf(say);
    send('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } });
    send('response.output_item.done', { output_index, item });
  }
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  send('response.completed', { response: { id, object: 'response', status: 'completed', output: [], usage } });
  response.end();
}

function itemOf(say: Say): object {
  const common = { id: newId('item'), status: 'completed' };
  if (say.type === 'message') {
    const content = [{ type: 'output_text', text: say.text, annotations: [] }];
    return { ...common, type: 'message', role: 'assistant', content };
  }
  const call_id = newId('call');
  if (say.type === 'custom_tool_call') return { ...common, ...say, call_id };
  return { ...common, ...say, call_id, arguments: JSON.stringify(say.arguments) };
}

function newId(kind: string): string {
  return `${kind}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

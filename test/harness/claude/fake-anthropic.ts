import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the scripted model says: text, or calls of tools. */
export type Block = { type: 'text'; text: string } | { type: 'tool_use'; id?: string; name: string; input: unknown };
export type ToolResult = { tool_use_id: string; is_error: boolean; text: string };
/** One request of the agent for the model's next words. */
export type Turn = {
  /** The task that the agent was given last: the part of a user's message behind `TASK:`. */
  task: string;
  /** What the tools said since the model's last words. */
  results: ToolResult[];
  /** Every text of the conversation's users after the last words of the model, the harness's own notes included. */
  heard: string;
  tools: string[];
};
export type FakeAnthropic = { url: string; turns: Turn[]; stop: () => Promise<void> };
type Message = { role: string; content: string | Content[] };
type Content = { type: string; text?: string; tool_use_id?: string; is_error?: boolean; content?: string | Content[] };

/** Anthropic's Messages API on 127.0.0.1 as far as Claude Code uses it, with a script in place of the model. */
export async function startFakeAnthropic(script: (turn: Turn) => Block[]): Promise<FakeAnthropic> {
  const turns: Turn[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void answerJson(response, 200, {});
    const body = (await json(request)) as { model: string; messages?: Message[]; tools?: { name: string }[] };
    const { pathname } = pathOf(request);
    if (pathname.endsWith('/count_tokens')) return void answerJson(response, 200, { input_tokens: 10 });
    if (!pathname.endsWith('/v1/messages')) return void answerJson(response, 404, { type: 'error' });
    const tools = (body.tools ?? []).map(({ name }) => name);
    // Beside the conversation the harness asks for such things as a title; those requests carry no tools.
    if (tools.length < 2) return void stream(response, body.model, [{ type: 'text', text: '{"title":"a test"}' }]);
    const turn = turnOf(body.messages ?? [], tools);
    turns.push(turn);
    stream(response, body.model, script(turn));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turns,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function pathOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://127.0.0.1');
}

function turnOf(messages: Message[], tools: string[]): Turn {
  const lastWords = messages.findLastIndex(({ role }) => role === 'assistant');
  const since = messages.slice(lastWords + 1).flatMap(contentOf);
  const texts = messages.filter(({ role }) => role === 'user').flatMap(contentOf);
  return {
    task: texts.map(({ text }) => /TASK: *(.*)/.exec(text ?? '')?.[1]).findLast((task) => task !== undefined) ?? '',
    results: since
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id = '', is_error = false, content = '' }) => ({
        tool_use_id,
        is_error,
        text: textsOf(content),
      })),
    heard: textsOf(since),
    tools,
  };
}

function contentOf({ content }: Message): Content[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function textsOf(content: string | Content[]): string {
  if (typeof content === 'string') return content;
  return content.map(({ text, content }) => text ?? (content && textsOf(content)) ?? '').join('\n');
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function stream(response: ServerResponse, model: string, blocks: Block[]): void {
  const send = (type: string, event: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`);
  const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: newId('msg'), type: 'message', role: 'assistant', model, content: [], usage };
  send('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } });
  for (const [index, block] of blocks.entries()) {
    const [content_block, delta] =
      block.type === 'text'
        ? [
            { type: 'text', text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { type: 'tool_use', id: block.id ?? newId('toolu'), name: block.name, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ];
    send('content_block_start', { index, content_block });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } });
  send('message_stop', {});
  response.end();
}

function newId(kind: string): string {
  return `${kind}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

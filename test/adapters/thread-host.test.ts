import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { threadHost } from '#adapters/thread-host.ts';
import { PermanentFault, ThreadHostError } from '#core/errors.ts';
import type { ThreadHost } from '#core/ports.ts';
import { at, item, OWN_USER, PROMPT_ID, THREAD } from '../support/given.ts';

type Call = { method: string | undefined; url: string | undefined; key: unknown; body: Record<string, unknown> };
type Answer = (call: Call, response: ServerResponse) => void;

/** A host that answers as each test says; the real adapter talks to it over a real socket. */
let answer: Answer;
let calls: Call[];
let url: string;
const apiKey = { read: async () => 'key-1', readAgain: async () => 'key-1' };
const server = createServer((request, response) => void serve(request, response));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const call = {
    method: request.method,
    url: request.url,
    key: request.headers['x-api-key'],
    body: text === '' ? {} : JSON.parse(text),
  };
  calls.push(call);
  answer(call, response);
}

const says =
  (body: unknown, status = 200): Answer =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
const isMe: Answer = says({ user: { user_id: OWN_USER } });

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
let host: ThreadHost;
beforeEach(() => {
  calls = [];
  host = threadHost(url, apiKey);
});
const newItem = { content: [{ type: 'text' as const, text: 'Q?' }], metadata: { type: 'pending_prompt' } };

describe('post', () => {
  it('sends the session API command with the key, and returns the stamped item', async () => {
    answer = says({ item: item('Q?') });
    const thread = { ...THREAD, revision_id: 'rev/1 ü' };
    expect(await host.post(thread, newItem)).toEqual({ outcome: 'posted', item: item('Q?') });
    expect(calls).toEqual([
      {
        method: 'POST',
        url: '/api/v1/revisions/rev%2F1%20%C3%BC/data',
        key: 'key-1',
        body: {
          engine: 'workflow_blobhub',
          command: 'post_session_thread_item',
          session_id: 'ses_1',
          alias: 'main',
          ...newItem,
        },
      },
    ]);
  });
  it.each([400, 401, 403, 404, 413, 422, 429])('HTTP %i is a definite refusal', async (status) => {
    answer = says({ error: 'thread_item_too_large', message: 'secret text' }, status);
    expect(await host.post(THREAD, newItem)).toEqual({
      outcome: 'refused',
      why: `thread_item_too_large (HTTP ${status})`,
    });
  });
  it.each([408, 500, 502, 503, 504])('HTTP %i says nothing: it may have been carried out', async (status) => {
    answer = says('<html>', status);
    expect(await host.post(THREAD, newItem)).toEqual({ outcome: 'unknown', why: `refused (HTTP ${status})` });
  });
  it('a closed connection says nothing', async () => {
    answer = (_, response) => response.destroy();
    expect(await host.post(THREAD, newItem)).toMatchObject({ outcome: 'unknown' });
  });
  it('an answer without the item says nothing', async () => {
    answer = says({});
    expect(await host.post(THREAD, newItem)).toMatchObject({ outcome: 'unknown' });
  });
  it('a host that is not there has certainly not seen it', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    expect(await threadHost(`http://127.0.0.1:${port}`, apiKey).post(THREAD, newItem)).toEqual({
      outcome: 'refused',
      why: 'the thread host gave no connection (ECONNREFUSED)',
    });
  });
  it('is not led elsewhere with our key', async () => {
    answer = (_, response) => response.writeHead(307, { location: `${url}/elsewhere` }).end();
    expect(await host.post(THREAD, newItem)).toMatchObject({ outcome: 'unknown' });
    expect(calls).toHaveLength(1);
  });
});

describe('get', () => {
  it('returns the item with its unknown fields and numbers', async () => {
    answer = says(`{"item":${JSON.stringify(item('hi')).replace('}', ',"n":1.0}')}}`);
    expect(JSON.stringify(await host.get(THREAD, 'itm_1'))).toContain('"n":1.0');
  });
  it.each([400, 404, 410, 422])('knows nothing of an item where the host says %i', async (status) => {
    answer = says({ error: 'not_found' }, status);
    expect(await host.get(THREAD, 'itm_1')).toBeUndefined();
  });
  it.each([401, 403, 429, 500, 503])('may know it later where the host says %i', async (status) => {
    answer = says({ error: 'no' }, status);
    await expect(host.get(THREAD, 'itm_1')).rejects.toThrow(ThreadHostError);
  });
  it.each([
    ['malformed', { item: { id: 'itm_1' } }],
    ['of another id', { item: item('hi', { id: 'itm_2' }) }],
    ['nested too deep', `{"item":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('an item %s never becomes readable', async (_, body) => {
    answer = says(body);
    await expect(host.get(THREAD, 'itm_1')).rejects.toThrow(PermanentFault);
  });
  it('an outage is told apart', async () => {
    answer = says({}, 503);
    await expect(host.get(THREAD, 'itm_1')).rejects.toThrow(ThreadHostError);
  });
});

describe('whose key it is', () => {
  it.each([
    ['nested', { user: { user_id: OWN_USER } }],
    ['flat', { user_id: OWN_USER }],
  ])('%s, asked once', async (_, body) => {
    answer = says(body);
    expect([await host.ownUserId(), await host.ownUserId()]).toEqual([OWN_USER, OWN_USER]);
    expect(calls.map(({ method, url: path }) => [method, path])).toEqual([['GET', '/api/v1/users/me']]);
  });
  it.each([
    ['no user', {}],
    ['an empty id', { user_id: '' }],
    ['no JSON', 'hello'],
  ])('%s: asked again until it is known (A6)', async (_, body) => {
    answer = says(body);
    await expect(host.ownUserId()).rejects.toThrow();
    answer = isMe;
    expect(await host.ownUserId()).toBe(OWN_USER);
  });
});

describe('find our own item', () => {
  const question = (more = {}) =>
    item('Q?', {
      id: 'itm_q',
      user_id: OWN_USER,
      metadata: { type: 'pending_prompt', prompt: { prompt_id: PROMPT_ID } },
      ...more,
    });
  const find = () => host.findOwn(THREAD, 'pending_prompt', PROMPT_ID, at(0));
  const lists =
    (...pages: unknown[][]): Answer =>
    (call, response) => {
      if (call.method === 'GET') return isMe(call, response);
      const listed = calls.filter(({ body }) => body.command === 'list_session_thread_items').length;
      says({ items: pages[listed - 1] ?? [] })(call, response);
    };

  it('newest first, page by page', async () => {
    answer = lists([item('a', { created_at: at(9) })], [item('b', { created_at: at(5) }), question()]);
    expect(await find()).toEqual(question());
    const asked = calls
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => [body.created_since, body.created_before]);
    expect(asked).toEqual([
      [at(0), undefined],
      [at(0), at(9)],
    ]);
  });
  it.each([
    ['nothing', []],
    ["somebody else's forgery", [question({ user_id: 'usr_eve' })]],
    ['another prompt', [question({ metadata: { type: 'pending_prompt', prompt: { prompt_id: 'prm_2' } } })]],
    ['another type', [question({ metadata: { type: 'pending_prompt_resolved', prompt: { prompt_id: PROMPT_ID } } })]],
    ['malformed items', [null, 5, {}]],
  ])('not among %s', async (_, items) => {
    answer = lists(items);
    expect(await find()).toBeUndefined();
  });
  it('a hostile item on the page does not hide it', async () => {
    const deep = `{"x":${'['.repeat(3000)}${']'.repeat(3000)}}`;
    answer = (call, response) =>
      call.method === 'GET'
        ? isMe(call, response)
        : says(`{"items":[${deep},${JSON.stringify(question())}]}`)(call, response);
    expect(await find()).toEqual(question());
  });
  it('a host that gives the same page for ever does not hold us for ever', async () => {
    answer = (call, response) =>
      call.method === 'GET'
        ? isMe(call, response)
        : says({ items: [item('a', { created_at: at(9) })] })(call, response);
    expect(await find()).toBeUndefined();
  });
  it('an outage is no answer', async () => {
    answer = (call, response) => (call.method === 'GET' ? isMe(call, response) : says({}, 500)(call, response));
    await expect(find()).rejects.toThrow(ThreadHostError);
  });
});

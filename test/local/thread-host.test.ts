import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { isSigned, webhookSecrets } from '#adapters/webhook-signature.ts';
import type { Item } from '#core/item.ts';
import type { Identity } from '../../infra/local/identity.ts';
import { closeServer, listenOnLoopback, readBody } from '../../infra/local/loopback-server.ts';
import { type StartedHost, startThreadHost } from '../../infra/local/thread-host/start.ts';
import { eventually } from '../support/eventually.ts';

const SECRET = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;
const IDENTITY: Identity = {
  credentials: { accessKeyId: '', secretAccessKey: '' },
  webhookSecret: SECRET,
  runner: { user_id: 'usr_runner', api_key: 'k_runner' },
  users: [{ user_id: 'usr_anna', api_key: 'k_anna' }],
};
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(dataDir?: string): Promise<StartedHost> {
  const host = await startThreadHost({ port: 0, identity: IDENTITY, log: () => {}, ...(dataDir && { dataDir }) });
  stops.push(() => host.stop());
  return host;
}

type Answer = { status: number; json: { item: Item; items: Item[]; error: string; user: { user_id: string } } };

async function call(host: StartedHost, method: string, route: string, key: string, body?: unknown): Promise<Answer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(new URL(route, host.url), {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Answer['json'] };
}

function command(
  host: StartedHost,
  name: string,
  fields: object,
  { key = 'k_anna', revision = 'rev', alias = 'chat' } = {},
) {
  const body = { engine: 'workflow_blobhub', command: name, session_id: 'ses', alias, ...fields };
  return call(host, 'POST', `/v1/revisions/${revision}/data`, key, body);
}

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const post = (host: StartedHost, words: string, more: object = {}, where = {}) =>
  command(host, 'post_session_thread_item', { ...text(words), ...more }, where);

type Webhook = { headers: Record<string, string>; body: Buffer; event: { item: Item; [field: string]: unknown } };

/** A webhook that answers with these statuses first, then with 202. */
async function receiver(...statuses: number[]): Promise<{ url: string; got: Webhook[] }> {
  const got: Webhook[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = await readBody(request, 1e6);
    got.push({ headers: request.headers as Record<string, string>, body, event: JSON.parse(body.toString()) });
    const status = statuses.shift() ?? 202;
    if (status === 0) response.destroy();
    else response.writeHead(status).end();
  });
  const url = await listenOnLoopback(server, 0);
  stops.push(() => closeServer(server));
  return { url, got };
}

it('posts, lists in pages, and gets; stamps are strictly increasing', async () => {
  const host = await start();
  for (let n = 0; n < 60; n++) expect((await post(host, `m${n}`)).status).toBe(200);
  const first = (await command(host, 'list_session_thread_items', { ascending: true })).json.items;
  expect(first).toHaveLength(50);
  const after = { ascending: true, created_since: first.at(-1)?.created_at };
  const second = (await command(host, 'list_session_thread_items', after)).json.items;
  const all = [...first, ...second];
  expect(all.map(({ content }) => content[0]?.text)).toEqual(Array.from({ length: 60 }, (_, n) => `m${n}`));
  const stamps = all.map(({ created_at }) => created_at);
  expect(stamps.every((stamp) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/.test(stamp))).toBe(true);
  expect([...new Set(stamps)].sort()).toEqual(stamps);

  const before = { created_before: all[1]?.created_at, created_since: undefined };
  expect((await command(host, 'list_session_thread_items', before)).json.items).toEqual([all[0]]);
  const newest = (await command(host, 'list_session_thread_items', {})).json.items;
  expect(newest[0]).toEqual(all.at(-1));
  expect((await command(host, 'get_session_thread_item', { item_id: all[3]?.id })).json.item).toEqual(all[3]);
});

it('keeps threads apart, and the whole item as it came', async () => {
  const host = await start();
  const metadata = { type: 'x', deep: { __proto__: 1, list: [null] } };
  const content = [
    { type: 'image', url: 'u' },
    { type: 'text', text: '\0 😊' },
  ];
  const { item } = (await post(host, '', { content, metadata, parent_id: 'itm_0' }, { revision: 'a%2Fb' })).json;
  const thread = { revision_id: 'a/b', session_id: 'ses', alias: 'chat' };
  expect(item).toMatchObject({ ...thread, user_id: 'usr_anna', content, metadata, parent_id: 'itm_0' });
  expect((await command(host, 'list_session_thread_items', {})).json.items).toEqual([]);
});

it('knows whose key it is', async () => {
  const host = await start();
  expect((await call(host, 'GET', '/v1/users/me', 'k_runner')).json.user).toEqual({ user_id: 'usr_runner' });
  expect((await post(host, 'x', {}, { key: 'k_runner' })).json.item.user_id).toBe('usr_runner');
  expect(await post(host, 'x', {}, { key: 'other' })).toMatchObject({ status: 401, json: { error: 'unauthorized' } });
});

it.each<[string, (host: StartedHost) => Promise<Answer>, number, string]>([
  ['an item over 350 KB', (host) => post(host, 'x'.repeat(350 * 1024)), 413, 'thread_item_too_large'],
  ['no content', (host) => post(host, '', { content: undefined }), 400, 'content_required'],
  ['content that is no list', (host) => post(host, '', { content: 'x' }), 400, 'content_required'],
  ['an unknown command', (host) => command(host, 'x', {}), 400, 'unknown_command'],
  ['an unknown item', (host) => command(host, 'get_session_thread_item', { item_id: 'x' }), 404, 'not_found'],
  [
    'an unknown bound',
    (host) => command(host, 'list_session_thread_items', { created_since: 'x' }),
    400,
    'invalid_cursor',
  ],
  ['no session', (host) => post(host, 'x', { session_id: undefined }), 400, 'invalid_thread_envelope'],
  ['another engine', (host) => post(host, 'x', { engine: 'y' }), 400, 'unknown_engine'],
  ['no JSON', (host) => call(host, 'POST', '/v1/revisions/r/data', 'k_anna', '{'), 400, 'malformed_body'],
  ['another path', (host) => call(host, 'GET', '/v1/else', 'k_anna'), 404, 'unknown_route'],
  ['a body of 5 MB', (host) => post(host, 'x'.repeat(5e6)), 413, 'body_too_large'],
])('refuses %s', async (_name, ask, status, error) => {
  expect(await ask(await start())).toMatchObject({ status, json: { error, message: expect.any(String) } });
});

it('tells the webhook of every item, signed, in order, again until it is accepted', async () => {
  const host = await start();
  const webhook = await receiver(503, 0, 401);
  host.deliverTo({ url: webhook.url, secret: SECRET });
  const { item: one } = (await post(host, 'one')).json;
  const { item: two } = (await post(host, 'two', {}, { key: 'k_runner' })).json;
  await eventually(() => webhook.got.length === 5, 'five deliveries');
  expect(webhook.got.map(({ event }) => event.item.id)).toEqual([one.id, one.id, one.id, one.id, two.id]);
  expect(webhook.got[0]?.event).toMatchObject({
    type: 'session_thread_item_posted',
    revision_id: 'rev',
    session_id: 'ses',
    alias: 'chat',
    item_id: one.id,
    item: one,
  });
  expect(new Set(webhook.got.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  for (const { headers, body } of webhook.got)
    expect(isSigned({ headers, body }, webhookSecrets(JSON.stringify([SECRET])), Date.now())).toBe(true);
});

it('gives up what can never be accepted, and goes on', async () => {
  const host = await start();
  const webhook = await receiver(400);
  host.deliverTo({ url: webhook.url, secret: SECRET });
  await post(host, 'refused');
  await post(host, 'taken');
  await eventually(() => webhook.got.length === 2, 'two deliveries');
  expect(webhook.got.map(({ event }) => event.item.content[0]?.text)).toEqual(['refused', 'taken']);
});

it('finds items and undelivered webhooks again in the data folder', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'thread-host-'));
  stops.push(() => rmSync(dataDir, { recursive: true }));
  const host = await start(dataDir);
  const { item } = (await post(host, 'kept')).json;
  await host.stop();

  const again = await start(dataDir);
  expect((await command(again, 'list_session_thread_items', {})).json.items).toEqual([item]);
  const webhook = await receiver();
  again.deliverTo({ url: webhook.url, secret: SECRET });
  await eventually(() => webhook.got.length === 1, 'the delivery');
  const { item: next } = (await post(again, 'next')).json;
  expect(next.created_at > item.created_at).toBe(true);
  await eventually(() => webhook.got.length === 2, 'the next delivery');
  await again.stop();

  const third = await start(dataDir);
  third.deliverTo({ url: webhook.url, secret: SECRET });
  await post(third, 'last');
  await eventually(() => webhook.got.length === 3, 'one more delivery');
  expect(webhook.got[2]?.event.item.content[0]?.text).toBe('last');
});

it('serves the thread page and what it needs to call the session API as a user', async () => {
  const host = await start();
  const page = await fetch(host.surfaceUrl);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  const files = [...(await page.text()).matchAll(/(?:src|href)="([^":]+)"/g)].map(([, name]) => name);
  expect(files.sort()).toEqual(['page.css', 'thread-page.js']);
  for (const file of [...files, 'pending-prompt.js']) {
    expect((await fetch(new URL(file ?? '', host.surfaceUrl))).status, file).toBe(200);
  }

  await post(host, 'hi', {}, { revision: 'rev', alias: 'chat' });
  const thread = { revision_id: 'rev', session_id: 'ses', alias: 'chat' };
  const settings = await call(host, 'GET', '/surface.json', '');
  expect(settings.json).toEqual({ runner_user_id: 'usr_runner', users: IDENTITY.users, threads: [thread] });
  const known = await call(host, 'GET', '/page/threads', '');
  expect(known.json).toEqual({ threads: [thread], users: ['usr_anna'] });
  const { items } = (await call(host, 'GET', `/page/items?${new URLSearchParams(thread)}`, '')).json;
  expect(items.map(({ content }) => content[0]?.text)).toEqual(['hi']);
});

it('gives keys to its own address alone: not to a name that was made to point here, nor to a post', async () => {
  const { url } = await start();
  const { hostname, port } = new URL(url);
  const statusOf = (host: string, method = 'GET') =>
    new Promise((resolve) => {
      const options = { hostname, port, path: '/surface.json', method, headers: { host } };
      request(options, (response) => resolve(response.resume().statusCode)).end();
    });
  expect(await statusOf(`localhost:${port}`)).toBe(200);
  expect(await statusOf(`elsewhere.example:${port}`)).toBe(403);
  expect(await statusOf(`localhost:${port}`, 'POST')).toBe(404);
});

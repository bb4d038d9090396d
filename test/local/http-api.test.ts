import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HttpApi } from '../../infra/local/http-api.ts';
import { iamAuthorizer } from '../../infra/local/iam-authorizer.ts';
import { listenOnLoopback } from '../../infra/local/loopback-server.ts';
import { signedHeaders } from './sign-request.ts';

const CREDENTIALS = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
const api = new HttpApi();
let port: number;
/** What the next invocation answers; the event that it got is in the answer by default. */
let answer: (event: unknown) => unknown = echo;

function echo(event: unknown): unknown {
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) };
}

beforeAll(async () => {
  port = Number(new URL(await listenOnLoopback(api.server, 0)).port);
  const route = (routeKey: string, functionId: string, iam = false) => ({ routeKey, functionId, iam });
  api.serve({
    apiId: 'Api',
    routes: [
      route('POST /hook', 'Hook'),
      route('ANY /files/{rest+}', 'Files'),
      route('POST /threads/{a}/{b}/done', 'Done'),
      route('POST /threads/{a}/fixed/done', 'Fixed'),
      route('POST /secret/{id}', 'Secret', true),
    ],
    authorizer: iamAuthorizer({
      region: 'us-east-1',
      secretAccessKey: CREDENTIALS.secretAccessKey,
      callerOf: () => ({ arn: 'arn:aws:sts::000000000000:assumed-role/Stack-runner-default/local' }),
    }),
    invoke: async (functionId, event) => {
      const value = await answer({ functionId, ...(event as object) });
      if (value instanceof Error) return { ok: false, error: { errorType: 'Error', errorMessage: value.message } };
      return { ok: true, payload: JSON.stringify(value) };
    },
  });
});
afterAll(() => api.stop());

type Sent = { method?: string; path: string; headers?: Record<string, string | string[]>; body?: Buffer | string };

function send({ method = 'POST', path, headers = {}, body }: Sent) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string; json: Record<string, never> }>(
    (resolve, reject) => {
      const request = httpRequest({ agent: false, host: '127.0.0.1', port, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk) => chunks.push(chunk))
          .on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const json = text.startsWith('{') ? JSON.parse(text) : {};
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
          });
      });
      request.on('error', reject).end(body);
    },
  );
}

it('sends the event of payload format 2.0', async () => {
  const headers = { 'Content-Type': 'application/json', 'X-Two': ['a', 'b'], Cookie: 'c=1; d=2' };
  const { status, json } = await send({ path: '/hook?x=1&x=2&y=%20', headers, body: '{"a":"ü"}' });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    functionId: 'Hook',
    version: '2.0',
    routeKey: 'POST /hook',
    rawPath: '/hook',
    rawQueryString: 'x=1&x=2&y=%20',
    queryStringParameters: { x: '1,2', y: ' ' },
    cookies: ['c=1', 'd=2'],
    headers: { 'content-type': 'application/json', 'x-two': 'a,b', host: `127.0.0.1:${port}` },
    requestContext: { accountId: '000000000000', stage: '$default', http: { method: 'POST', path: '/hook' } },
    body: '{"a":"ü"}',
    isBase64Encoded: false,
  });
  expect(json).not.toHaveProperty('pathParameters');
  expect(json).not.toHaveProperty('requestContext.authorizer');
});

it.each([
  ['not UTF-8', 'application/json', Buffer.from([0x7b, 0xff, 0x80, 0x7d])],
  ['of a binary type', 'image/png', Buffer.from('plain')],
  ['of no type', undefined, Buffer.from('plain')],
])('a body that is %s reaches the function byte for byte', async (_name, type, body) => {
  const { json } = await send({ path: '/hook', headers: type ? { 'content-type': type } : {}, body });
  expect(json).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
});

it('no body is no body', async () => {
  expect((await send({ path: '/hook' })).json).not.toHaveProperty('body');
});

it.each([
  ['POST', '/threads/rev%2F1/ses%20%C3%BC/done', 'Done', { a: 'rev/1', b: 'ses ü' }],
  ['POST', '/threads/x/fixed/done', 'Fixed', { a: 'x' }],
  ['POST', '/threads/__proto__/%00/done', 'Done', { a: '__proto__', b: '\0' }],
  ['GET', '/files/a/b%2Fc', 'Files', { rest: 'a/b/c' }],
])('%s %s goes to %s', async (method, path, functionId, pathParameters) => {
  expect((await send({ method, path })).json).toMatchObject({ functionId, pathParameters, rawPath: path });
});

it.each([
  ['POST', '/', 404],
  ['GET', '/hook', 404],
  ['POST', '/hook/', 404],
  ['POST', '/threads//x/done', 404],
  ['POST', '/threads/a/done', 404],
  ['POST', '/%', 400],
  ['POST', '/threads/a/%C3%28/done', 400],
  ['POST', '/secret/%', 400],
  ['POST', '/secret/x', 403],
])('%s %s is %i without a function', async (method, path, status) => {
  const response = await send({ method, path });
  expect(response.status).toBe(status);
  expect(Object.keys(response.json)).toEqual(['message']);
});

it('lets a signed request through, with its identity', async () => {
  const path = '/secret/a%20b';
  const headers = signedHeaders({
    ...CREDENTIALS,
    method: 'POST',
    path,
    body: Buffer.from('{}'),
    region: 'us-east-1',
    date: new Date(),
    headers: { 'content-type': 'application/json' },
  });
  const { status, json } = await send({ path, headers, body: '{}' });
  expect(status).toBe(200);
  const userArn = 'arn:aws:sts::000000000000:assumed-role/Stack-runner-default/local';
  const iam = { accessKey: 'AKID', accountId: '000000000000', callerId: 'AKID:local', userId: 'AKID:local', userArn };
  expect(json).toMatchObject({ functionId: 'Secret', requestContext: { authorizer: { iam } } });
  expect((await send({ path, headers, body: '{"x":1}' })).status).toBe(403);
});

it.each<[string, unknown, number, string]>([
  ['an error', new Error('x'), 500, '{"message":"Internal Server Error"}'],
  ['a status that is none', { statusCode: 'x' }, 500, '{"message":"Internal Server Error"}'],
  ['an object without a status', { a: 1 }, 200, '{"a":1}'],
  ['a status alone', { statusCode: 204 }, 204, ''],
  ['base64', { statusCode: 201, body: 'w7w=', isBase64Encoded: true }, 201, 'ü'],
])('answers what the function answers: %s', async (_name, value, status, text) => {
  answer = () => value;
  const response = await send({ path: '/hook' });
  answer = echo;
  expect([response.status, response.text]).toEqual([status, text]);
});

it('refuses a body over 10 MB', async () => {
  const response = await send({ path: '/hook', body: Buffer.alloc(10 * 1024 * 1024 + 1) });
  expect([response.status, response.json]).toEqual([413, { message: 'Request Entity Too Large' }]);
});

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { iamAuthorizer, type WireRequest } from '../../infra/local/iam-authorizer.ts';
import { signedHeaders } from './sign-request.ts';

const CREDENTIALS = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
const NOW = new Date('2026-05-28T12:00:00.000Z');
const BODY = Buffer.from('{"request_id":"r"}');
const PATH = '/v1/threads/rev%2F1/ses%20%C3%BC/a/prompts';

type Signing = Parameters<typeof signedHeaders>[0];

/** The one caller with a role, and only where the path is this. */
const ARN = 'arn:aws:sts::000000000000:assumed-role/Runner/local';
const asked: string[] = [];
const authorizer = iamAuthorizer(
  {
    region: 'us-east-1',
    secretAccessKey: CREDENTIALS.secretAccessKey,
    callerOf(accessKey, { path }) {
      asked.push(accessKey);
      return accessKey === CREDENTIALS.accessKeyId && path === PATH ? { arn: ARN } : undefined;
    },
  },
  () => NOW.getTime(),
);

/** @param signing what is signed otherwise @param sent what is sent otherwise */
async function isLetIn(signing: Partial<Signing> = {}, sent: Partial<WireRequest> = {}): Promise<boolean> {
  const request = { method: 'POST', path: PATH, query: '', body: BODY };
  const headers = signedHeaders({ ...request, ...CREDENTIALS, region: 'us-east-1', date: NOW, ...signing });
  return (await authorizer({ ...request, headers, ...sent })) !== undefined;
}

it('lets in what is signed with the local credentials, the path encoded once more', async () => {
  expect(await isLetIn()).toBe(true);
});

it('says who calls, and keeps out whose role may not call this path', async () => {
  const request = { method: 'POST', path: PATH, query: '', body: BODY };
  const headers = signedHeaders({ ...request, ...CREDENTIALS, region: 'us-east-1', date: NOW });
  expect(await authorizer({ ...request, headers })).toEqual({ accessKey: 'AKID', userArn: ARN });
  expect(await isLetIn({ path: '/v1/elsewhere' }, { path: '/v1/elsewhere' })).toBe(false);
});

it('asks about a role only for a key whose signature is right', async () => {
  asked.length = 0;
  await isLetIn({ secretAccessKey: 'other' });
  await isLetIn({}, { body: Buffer.from('{}') });
  expect(asked).toEqual([]);
});

it('lets in further signed headers, among them the hash of the body', async () => {
  const hash = createHash('sha256').update(BODY).digest('hex');
  const headers = { 'x-amz-content-sha256': hash, 'content-type': 'application/json', 'x-trace': '  a   b ' };
  expect(await isLetIn({ headers })).toBe(true);
});

it('lets in a signed query, in any order', async () => {
  expect(await isLetIn({ query: 'a=1&b=x%20y' }, { query: 'b=x%20y&a=1' })).toBe(true);
});

it.each<[string, Partial<Signing>, Partial<WireRequest>]>([
  ['another access key', { accessKeyId: 'OTHER' }, {}],
  ['another secret', { secretAccessKey: 'other' }, {}],
  ['another region', { region: 'eu-west-1' }, {}],
  ['another service', { service: 'sqs' }, {}],
  ['signed too long ago', { date: new Date(NOW.getTime() - 301_000) }, {}],
  ['signed too far ahead', { date: new Date(NOW.getTime() + 301_000) }, {}],
  ['another method', {}, { method: 'PUT' }],
  ['another path', {}, { path: PATH.replace('/a/', '/b/') }],
  ['another body', {}, { body: Buffer.from('{}') }],
  ['a query that was not signed', {}, { query: 'a=1' }],
  ['the hash of another body', { headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }, {}],
])('keeps out: %s', async (_name, signing, sent) => {
  expect(await isLetIn(signing, sent)).toBe(false);
});

it('keeps out a header of AWS that is there and not signed, and a signed one that was changed', async () => {
  const request = { method: 'POST', path: PATH, query: '', body: BODY };
  const headers = signedHeaders({
    ...request,
    ...CREDENTIALS,
    region: 'us-east-1',
    date: NOW,
    headers: { 'x-trace': 'a' },
  });
  expect(await authorizer({ ...request, headers: { ...headers, 'x-amz-security-token': 't' } })).toBe(undefined);
  expect(await authorizer({ ...request, headers: { ...headers, 'x-trace': 'b' } })).toBe(undefined);
  const { 'x-trace': _gone, ...fewer } = headers;
  expect(await authorizer({ ...request, headers: fewer })).toBe(undefined);
});

it.each([
  '',
  'Bearer abc',
  'AWS4-HMAC-SHA256',
  'AWS4-HMAC-SHA256 Credential=',
  'AWS4-HMAC-SHA256 é',
  '\0'.repeat(9999),
])('keeps out the header %j', async (authorization) => {
  const headers = { host: 'h', 'x-amz-date': '20260528T120000Z', authorization };
  expect(await authorizer({ method: 'POST', path: PATH, query: '', body: BODY, headers })).toBe(undefined);
  expect(await authorizer({ method: 'POST', path: PATH, query: '', body: BODY, headers: {} })).toBe(undefined);
});

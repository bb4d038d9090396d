import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSigned, webhookSecrets } from '#adapters/webhook-signature.ts';

const NOW = 1_790_000_000_000;
const SECONDS = NOW / 1000;
const secret = randomBytes(24);
const other = randomBytes(32);
const body = Buffer.from('{"hé":1}');

const signature = (key: Buffer, id: string, timestamp: string, bytes: Buffer) =>
  `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(bytes).digest('base64')}`;
const headers = (more: Record<string, string | undefined> = {}, key = secret) => {
  const id = more['webhook-id'] ?? 'msg_1';
  const timestamp = more['webhook-timestamp'] ?? String(SECONDS);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature(key, id, timestamp, body),
    ...more,
  };
};
const accepted = (given: Record<string, string | undefined>, bytes = body, secrets = [secret]) =>
  isSigned({ headers: given, body: bytes }, secrets, NOW);
const good = headers()['webhook-signature'] ?? '';
const wrong = `v1,${Buffer.alloc(32, 7).toString('base64')}`;

describe('a webhook is believed', () => {
  it.each([
    ['signed with the secret', headers()],
    ['five minutes old', headers({ 'webhook-timestamp': String(SECONDS - 300) })],
    ['five minutes ahead', headers({ 'webhook-timestamp': String(SECONDS + 300) })],
    ['a good signature behind a wrong one', headers({ 'webhook-signature': `${wrong} ${good}` })],
    ['beside a signature of another version', headers({ 'webhook-signature': `v1a,${'A'.repeat(86)}== ${good}` })],
    ['ten signatures', headers({ 'webhook-signature': `${`${wrong} `.repeat(9)}${good}` })],
  ])('%s', (_, given) => {
    expect(accepted(given)).toBe(true);
  });
  it('signed with any of several secrets', () => {
    expect(accepted(headers({}, other), body, [secret, other])).toBe(true);
  });
});

describe('a webhook is not believed', () => {
  it.each([
    ['unsigned', {}],
    ['without an id', headers({ 'webhook-id': undefined })],
    ['without a timestamp', headers({ 'webhook-timestamp': undefined })],
    ['without a signature', headers({ 'webhook-signature': undefined })],
    ['an id that came twice', headers({ 'webhook-id': 'msg_1,msg_1' })],
    ['a timestamp that came twice', headers({ 'webhook-timestamp': `${SECONDS},${SECONDS}` })],
    ['older than five minutes', headers({ 'webhook-timestamp': String(SECONDS - 301) })],
    ['further ahead than five minutes', headers({ 'webhook-timestamp': String(SECONDS + 301) })],
    ['in milliseconds', headers({ 'webhook-timestamp': String(NOW) })],
    ['a timestamp with a fraction', headers({ 'webhook-timestamp': `${SECONDS}.5` })],
    ['a hexadecimal timestamp', headers({ 'webhook-timestamp': `0x${SECONDS.toString(16)}` })],
    ['a timestamp with a space', headers({ 'webhook-timestamp': ` ${SECONDS}` })],
    ['signed with another secret', headers({}, other)],
    ['eleven signatures', headers({ 'webhook-signature': `${`${wrong} `.repeat(10)}${good}` })],
    ['a signature without a version', headers({ 'webhook-signature': good.slice(3) })],
    ['a signature of the version v1a', headers({ 'webhook-signature': good.replace('v1,', 'v1a,') })],
    ['v1 with nothing', headers({ 'webhook-signature': 'v1,' })],
    ['signatures joined with a comma', headers({ 'webhook-signature': `${good},${good}` })],
    ['hexadecimal', headers({ 'webhook-signature': `v1,${Buffer.from(good.slice(3), 'base64').toString('hex')}` })],
    ['base64 that is cut', headers({ 'webhook-signature': good.slice(0, -4) })],
    ['44 characters beyond ASCII', headers({ 'webhook-signature': `v1,${'ü'.repeat(44)}` })],
  ])('%s', (_, given) => {
    expect(accepted(given)).toBe(false);
  });
  it('with another id, timestamp or body than the signed ones', () => {
    expect(accepted({ ...headers(), 'webhook-id': 'msg_2' })).toBe(false);
    expect(accepted({ ...headers(), 'webhook-timestamp': String(SECONDS + 1) })).toBe(false);
    expect(accepted(headers(), Buffer.from('{"he":1}'))).toBe(false);
  });
  it('two bodies that decode to the same text have one signature each', () => {
    const [a, b] = [Buffer.from([0xff]), Buffer.from([0xfe])];
    const signed = { ...headers(), 'webhook-signature': signature(secret, 'msg_1', String(SECONDS), a) };
    expect(accepted(signed, a)).toBe(true);
    expect(accepted(signed, b)).toBe(false);
  });
});

describe('webhook secrets', () => {
  it('are a JSON list of whsec_ keys', () => {
    const text = JSON.stringify([secret, other].map((key) => `whsec_${key.toString('base64')}`));
    expect(webhookSecrets(text)).toEqual([secret, other]);
  });
  it.each(['', '{}', '[]', '["abc"]', '[5]', '["whsec_AAAA"]', `["whsec_${Buffer.alloc(65).toString('base64')}"]`])(
    'are refused whole when one is malformed: %s',
    (text) => {
      expect(() => webhookSecrets(text)).toThrow(SyntaxError);
    },
  );
});

import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Standard Webhooks, symmetric (`v1`): HMAC-SHA256 over `id.timestamp.body`, the body being the raw bytes as they came.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export type SignedRequest = {
  /** Names in lower case; a header that came twice holds its values joined with a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
};

const TOLERANCE_SECONDS = 5 * 60;
/** Rotation needs two; a longer list only buys guesses. */
const SIGNATURES_LIMIT = 10;
const DIGEST_BYTES = 32;

/** True where one of the secrets signed exactly these bytes within five minutes of `now` (milliseconds). */
export function isSigned({ headers, body }: SignedRequest, secrets: readonly Buffer[], now: number): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature']?.split(' ') ?? [];
  if (!id || id.includes(',') || !timestamp || !isFresh(timestamp, now)) return false;
  if (signatures.length > SIGNATURES_LIMIT) return false;
  const given = signatures.map(v1Digest).filter((digest) => digest !== undefined);
  return secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((digest) => timingSafeEqual(digest, expected));
  });
}

/** The keys in a secret's text: a JSON list of `whsec_<base64>`, 24 to 64 bytes each. @throws SyntaxError */
export function webhookSecrets(text: string): Buffer[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list) || list.length === 0) throw new SyntaxError('the webhook secrets are no JSON list');
  return list.map((entry) => {
    const key = typeof entry === 'string' && entry.startsWith('whsec_') ? Buffer.from(entry.slice(6), 'base64') : null;
    if (!key || key.length < 24 || key.length > 64)
      throw new SyntaxError('a webhook secret is no whsec_ of 24 to 64 bytes');
    return key;
  });
}

function isFresh(timestamp: string, now: number): boolean {
  return /^\d{10}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
}

function v1Digest(signature: string): Buffer | undefined {
  if (!/^v1,[A-Za-z0-9+/]{43}=$/.test(signature)) return undefined;
  const digest = Buffer.from(signature.slice(3), 'base64');
  return digest.length === DIGEST_BYTES ? digest : undefined;
}

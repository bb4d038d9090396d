import { createHash, createHmac, type Hash, type Hmac, timingSafeEqual } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

/** A request as it came over the wire; header values of one name are joined with commas. */
export type WireRequest = {
  method: string;
  path: string;
  query: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
};
export type IamCaller = { accessKey: string; userArn: string };
/** @returns `undefined` for whoever is to be kept out */
export type IamAuthorizer = (request: WireRequest) => Promise<IamCaller | undefined>;
export type IamSettings = {
  region: string;
  /** One for all keys of this stack. */
  secretAccessKey: string;
  /** Who has this key, where that one may make this request. */
  callerOf(accessKey: string, request: WireRequest): { arn: string } | undefined;
};

/** The service of API Gateway's routes. */
const SERVICE = 'execute-api';
const ALGORITHM = 'AWS4-HMAC-SHA256';
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/([^,\s]+), ?SignedHeaders=([a-z0-9;_-]+), ?Signature=([0-9a-f]{64})$/;
const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** AWS takes what is signed up to five minutes before or after. */
const CLOCK_SKEW_MS = 5 * 60_000;
const PAYLOAD_HASH = 'x-amz-content-sha256';

/** What API Gateway's IAM authorizer decides: whose signature (SigV4, in headers) is it, and may that one call here? */
export function iamAuthorizer({ callerOf, ...signing }: IamSettings, now = Date.now): IamAuthorizer {
  return async (request) => {
    const accessKey = await signedWith(request, signing, now());
    if (accessKey === undefined) return undefined;
    const caller = callerOf(accessKey, request);
    return caller && { accessKey, userArn: caller.arn };
  };
}

/** @returns the access key id that the request is signed with, and `undefined` where its signature is not right */
async function signedWith(
  request: WireRequest,
  { region, secretAccessKey }: Pick<IamSettings, 'region' | 'secretAccessKey'>,
  now: number,
): Promise<string | undefined> {
  const { authorization = '', 'x-amz-date': stamp } = request.headers;
  const [, accessKeyId, scope, signedHeaders = ''] = AUTHORIZATION.exec(authorization) ?? [];
  const names = signedHeaders.split(';');
  const signedAt = timeOf(stamp);
  if (accessKeyId === undefined || !signedAt || Math.abs(now - signedAt.getTime()) > CLOCK_SKEW_MS) return undefined;
  if (!coversTheRequest(names, request)) return undefined;
  const credentials = { accessKeyId, secretAccessKey };
  const signer = new SignatureV4({ service: SERVICE, region, credentials, sha256: Sha256, applyChecksum: false });
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'http:',
      hostname: '',
      path: request.path,
      query: queryOf(request.query),
      headers: Object.fromEntries(names.map((name) => [name, request.headers[name] ?? ''])),
      body: request.body,
    },
    { signingDate: signedAt, signableHeaders: new Set(names) },
  );
  const expected = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=`;
  const computed = signed.headers.authorization ?? '';
  const isRight = computed.startsWith(expected) && isSame(computed.slice(expected.length), authorization);
  return isRight ? accessKeyId : undefined;
}

/** The host and everything of AWS's must be signed, and a hash that is sent along must be the body's. */
function coversTheRequest(names: string[], { headers, body }: WireRequest): boolean {
  const needed = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (!needed.every((name) => names.includes(name)) || !names.every((name) => Object.hasOwn(headers, name)))
    return false;
  const hash = headers[PAYLOAD_HASH];
  return hash === undefined || hash === createHash('sha256').update(body).digest('hex');
}

function isSame(computed: string, authorization: string): boolean {
  const given = authorization.slice(-computed.length);
  return computed.length === given.length && timingSafeEqual(Buffer.from(computed), Buffer.from(given));
}

function timeOf(stamp = ''): Date | undefined {
  const iso = stamp.replace(STAMP, '$1-$2-$3T$4:$5:$6Z');
  return iso === stamp || Number.isNaN(Date.parse(iso)) ? undefined : new Date(iso);
}

function queryOf(query: string): Record<string, string[]> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

/** The signer's hash interface over node:crypto. */
class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', toBytes(key));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

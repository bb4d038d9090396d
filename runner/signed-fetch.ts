import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
export type AwsIdentity = {
  region: string;
  /** Asked at every call, so that credentials that rotate stay good. */
  credentials: () => Promise<Credentials>;
};

/** POSTs JSON signed with AWS Signature Version 4, as API Gateway's IAM authorizer demands. */
export function signedPost({ region, credentials }: AwsIdentity) {
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256 });
  return async (url: URL, body: unknown, signal?: AbortSignal): Promise<Response> => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const { headers } = await signer.sign({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: {},
      headers: { host: url.host, 'content-type': 'application/json' },
      body: text,
    });
    return fetch(url, { method: 'POST', headers, ...(text && { body: text }), ...(signal && { signal }) });
  };
}

/** The signer's hash interface over node:crypto. */
class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    const secret = typeof key === 'string' || key === undefined ? key : bytesOf(key);
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === 'string' ? data : bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

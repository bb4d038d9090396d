import { createHash, createHmac } from 'node:crypto';

type Signing = {
  method: string;
  path: string;
  query?: string;
  body: Buffer;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  service?: string;
  date: Date;
  headers?: Record<string, string>;
};

/**
 * AWS Signature Version 4 by its published steps, on purpose without the library that the authorizer uses.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signedHeaders(signing: Signing): Record<string, string> {
  const {
    method,
    path,
    query = '',
    body,
    accessKeyId,
    secretAccessKey,
    region,
    service = 'execute-api',
    date,
  } = signing;
  const stamp = date.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = { host: '127.0.0.1:4747', ...signing.headers, 'x-amz-date': stamp };
  const names = Object.keys(headers).sort();
  const canonicalRequest = [
    method,
    path.split('/').map(uriEncode).join('/'),
    query.split('&').sort().join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'] ?? sha256(body),
  ].join('\n');
  const scope = [stamp.slice(0, 8), region, service, 'aws4_request'];
  const key = scope.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secretAccessKey}`);
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), sha256(canonicalRequest)].join('\n');
  const signature = hmac(key, toSign).toString('hex');
  const credential = `Credential=${accessKeyId}/${scope.join('/')}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
}

function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

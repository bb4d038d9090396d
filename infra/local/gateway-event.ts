import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { IamCaller, WireRequest } from './iam-authorizer.ts';
import { ACCOUNT_ID } from './resource-names.ts';

export type RouteMatch = { routeKey: string; pathParameters: Record<string, string> };

/** What an HTTP API sends as text; everything else is base64. */
const TEXT_TYPES = /^(text\/[^;]*|application\/(json|javascript|xml|[^;]+\+json|[^;]+\+xml))\s*(;|$)/i;

/** The event of an HTTP API with payload format 2.0. @param caller of a route that has the IAM authorizer */
export function gatewayEvent(
  request: WireRequest,
  { routeKey, pathParameters }: RouteMatch,
  apiId: string,
  caller?: IamCaller,
): APIGatewayProxyEventV2 {
  const { cookie, ...headers } = request.headers;
  const now = new Date();
  return {
    version: '2.0',
    routeKey,
    rawPath: request.path,
    rawQueryString: request.query,
    ...(cookie !== undefined && { cookies: cookie.split(/; */) }),
    headers: { ...headers, 'x-forwarded-proto': 'http', 'x-amzn-trace-id': `Root=1-${randomUUID()}` },
    ...(request.query && { queryStringParameters: queryParameters(request.query) }),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    requestContext: {
      accountId: ACCOUNT_ID,
      apiId,
      ...(caller && { authorizer: { iam: iamIdentity(caller) } }),
      domainName: headers.host ?? '',
      domainPrefix: apiId,
      http: {
        method: request.method,
        path: request.path,
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...bodyOf(request),
  };
}

/** Such as `12/Mar/2020:19:03:58 +0000`. */
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}

/** A text that is not UTF-8 goes as base64: it reaches the function byte for byte. */
function bodyOf({ headers, body }: WireRequest): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = TEXT_TYPES.test(headers['content-type'] ?? '') && isUtf8(body);
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

function queryParameters(query: string): Record<string, string> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name).join(',')]));
}

/** Of an assumed role, as all callers of the runner API have one. */
function iamIdentity({ accessKey, userArn }: IamCaller) {
  const userId = `${accessKey}:${userArn.split('/').at(-1)}`;
  return {
    accessKey,
    accountId: ACCOUNT_ID,
    callerId: userId,
    cognitoIdentity: null,
    principalOrgId: null,
    userArn,
    userId,
  };
}

export type HttpAnswer = { status: number; headers: Record<string, string | string[]>; body: Buffer };

/** What an HTTP API makes of a function's answer: the structured form, or any JSON as the body of a 200. */
export function gatewayAnswer(payload: string): HttpAnswer | undefined {
  const value: unknown = JSON.parse(payload);
  if (!isStructured(value)) {
    const body = typeof value === 'string' ? value : payload;
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  }
  const status = Number(value.statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  const headers = Object.entries(value.headers ?? {}).map(([name, text]) => [name.toLowerCase(), String(text)]);
  return {
    status,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(headers),
      ...(value.cookies && { 'set-cookie': value.cookies }),
    },
    body: Buffer.from(value.body ?? '', value.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

type Structured = {
  statusCode: unknown;
  headers?: Record<string, unknown>;
  cookies?: string[];
  body?: string;
  isBase64Encoded?: boolean;
};

function isStructured(value: unknown): value is Structured {
  return typeof value === 'object' && value !== null && 'statusCode' in value;
}

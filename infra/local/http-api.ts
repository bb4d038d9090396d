import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Invocation } from './execution-environment.ts';
import { gatewayAnswer, gatewayEvent } from './gateway-event.ts';
import type { IamAuthorizer, WireRequest } from './iam-authorizer.ts';
import { BodyTooLargeError, closeServer, readBody, sendJson } from './loopback-server.ts';
import { matchRoute, type Route, splitTarget } from './routes.ts';

/** API Gateway's own limits of an HTTP API. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
const INTEGRATION_TIMEOUT_MS = 30_000;

export type HttpApiSettings = {
  apiId: string;
  routes: Route[];
  authorizer: IamAuthorizer;
  invoke: (functionId: string, event: unknown) => Promise<Invocation>;
  /** Hears of every request's end. */
  answered?: (status: number) => void;
};

/** An HTTP API: routes, the IAM authorizer, and functions behind them. The settings may come once the port is known. */
export class HttpApi {
  readonly server: Server = createServer((request, response) => {
    response.once('finish', () => this.#settings?.answered?.(response.statusCode));
    this.#answer(request, response).catch((error) => answerFault(error, response));
  });
  #settings: HttpApiSettings | undefined;

  serve(settings: HttpApiSettings): void {
    this.#settings = settings;
  }

  /** What is being answered goes on. */
  refuseMore(): void {
    this.server.close();
    this.server.closeIdleConnections();
  }

  stop(): Promise<void> {
    return closeServer(this.server);
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const settings = this.#settings;
    if (!settings) return answerMessage(response, 503, 'Service Unavailable');
    const request = await readRequest(incoming);
    const match = matchRoute(settings.routes, request.method, request.path);
    if (match === 'malformed') return answerMessage(response, 400, 'Bad Request');
    if (!match) return answerMessage(response, 404, 'Not Found');
    const { route, pathParameters } = match;
    const caller = route.iam ? await settings.authorizer(request) : undefined;
    if (route.iam && !caller) return answerMessage(response, 403, 'Forbidden');

    const event = gatewayEvent(request, { routeKey: route.routeKey, pathParameters }, settings.apiId, caller);
    const invocation = await withinTime(settings.invoke(route.functionId, event));
    if (invocation === 'late') return answerMessage(response, 503, 'Service Unavailable');
    const answer = invocation.ok ? gatewayAnswer(invocation.payload) : undefined;
    if (!answer) return answerMessage(response, 500, 'Internal Server Error');
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const { path, query } = splitTarget(incoming.url ?? '/');
  const body = await readBody(incoming, BODY_LIMIT_BYTES);
  return { method: incoming.method ?? 'GET', path, query, headers: headersOf(incoming), body };
}

/** Lower-case names; what came more than once is joined with commas, in the order of the wire. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers = new Map<string, string>();
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = (rawHeaders[n] ?? '').toLowerCase();
    const value = rawHeaders[n + 1] ?? '';
    headers.set(name, headers.has(name) ? `${headers.get(name)},${value}` : value);
  }
  return Object.fromEntries(headers);
}

async function withinTime(invocation: Promise<Invocation>): Promise<Invocation | 'late'> {
  const timer = new AbortController();
  const late = wait(INTEGRATION_TIMEOUT_MS, 'late' as const, { signal: timer.signal });
  late.catch(() => {});
  try {
    return await Promise.race([invocation, late]);
  } finally {
    timer.abort();
  }
}

function answerMessage(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { message });
}

function answerFault(error: unknown, response: ServerResponse): void {
  if (error instanceof BodyTooLargeError) answerMessage(response, 413, 'Request Entity Too Large');
  else if (response.headersSent) response.destroy();
  else answerMessage(response, 500, 'Internal Server Error');
}

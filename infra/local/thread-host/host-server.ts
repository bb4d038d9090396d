import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { HostUser } from '../identity.ts';
import { BodyTooLargeError, closeServer, readBody, sendJson } from '../loopback-server.ts';
import { splitTarget } from '../routes.ts';
import { Deliveries, type WebhookTarget } from './deliveries.ts';
import type { HostItem, ItemStore } from './item-store.ts';
import { answerPage, isPageRequest } from './page.ts';
import { answerCommand, type HostAnswer, refusal } from './session-api.ts';

/** Well above an item's budget, so that a large item gets its own answer. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const DATA_PATH = /^\/v1\/revisions\/([^/]+)\/data$/;

export type HostSettings = {
  store: ItemStore;
  /** Whose key a call comes with decides who posts. */
  runner: HostUser;
  users: HostUser[];
  log: (line: string) => void;
};

/** The built-in thread host: BlobHub's session API, signed webhooks, and the page of the threads. */
export class ThreadHost {
  readonly server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof BodyTooLargeError) sendAnswer(response, refusal(413, 'body_too_large', error.message));
      else sendAnswer(response, refusal(500, 'internal_error', 'The thread host failed.'));
    });
  });
  readonly #settings: HostSettings;
  #deliveries: Deliveries | undefined;

  constructor(settings: HostSettings) {
    this.#settings = settings;
  }

  /** Begins with what an earlier run could not deliver. Before this, items wait. */
  deliverTo(target: WebhookTarget): void {
    const { store, log } = this.#settings;
    this.#deliveries = new Deliveries(target, { delivered: (item) => store.delivered(item), log });
    for (const item of store.undelivered()) this.#deliveries.add(item);
  }

  async stop(): Promise<void> {
    await this.#deliveries?.stop();
    await closeServer(this.server);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, BODY_LIMIT_BYTES);
    const { path } = splitTarget(request.url ?? '/');
    const posted = (item: HostItem) => this.#deliveries?.add(item);
    try {
      const answer = isPageRequest(path)
        ? await answerPage({ ...this.#settings, runnerUserId: this.#settings.runner.user_id }, request)
        : this.#answerApi(request, path, body, posted);
      if ('bytes' in answer) response.writeHead(200, answer.headers).end(answer.bytes);
      else sendAnswer(response, answer);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof URIError)) throw error;
      sendAnswer(response, refusal(400, 'malformed_body', 'The path or the body cannot be read.'));
    }
  }

  #answerApi(request: IncomingMessage, path: string, body: Buffer, posted: (item: HostItem) => void): HostAnswer {
    const { store, runner, users } = this.#settings;
    const user_id = [runner, ...users].find(({ api_key }) => api_key === request.headers['x-api-key'])?.user_id;
    if (user_id === undefined) return refusal(401, 'unauthorized', 'X-API-Key is not known here.');
    if (request.method === 'GET' && path === '/v1/users/me') return { status: 200, body: { user: { user_id } } };
    const revision = request.method === 'POST' ? DATA_PATH.exec(path)?.[1] : undefined;
    if (revision === undefined) return refusal(404, 'unknown_route', 'There is no such route.');
    return answerCommand(store, decodeURIComponent(revision), user_id, JSON.parse(body.toString()), posted);
  }
}

function sendAnswer(response: ServerResponse, { status, body }: HostAnswer): void {
  sendJson(response, status, body);
}

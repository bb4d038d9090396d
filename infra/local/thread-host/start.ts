import { createServer } from 'node:http';
import path from 'node:path';
import type { HostUser, Identity } from '../identity.ts';
import { closeServer, listenOnLoopback } from '../loopback-server.ts';
import type { WebhookTarget } from './deliveries.ts';
import { ThreadHost } from './host-server.ts';
import { ItemStore } from './item-store.ts';

/** The thread host that the stack works with, and the page beside it. */
export type StartedHost = {
  url: string;
  surfaceUrl: string;
  runner: { user_id?: string; api_key: string };
  users?: HostUser[];
  deliverTo(target: WebhookTarget): void;
  stop(): Promise<void>;
};
export type HostOptions = {
  port: number;
  identity: Identity;
  /** Another one than the built-in one. */
  threadHost?: { url: string; key: string };
  dataDir?: string;
  log: (source: string, line: string) => void;
};

export function startThreadHost(options: HostOptions): Promise<StartedHost> {
  return options.threadHost ? pointTo(options.port, options.threadHost) : startBuiltIn(options);
}

async function startBuiltIn({ port, identity, dataDir, log }: HostOptions): Promise<StartedHost> {
  const { runner, users } = identity;
  const store = new ItemStore(dataDir && path.join(dataDir, 'thread-items.jsonl'));
  const host = new ThreadHost({ store, runner, users, log: (line) => log('thread-host', line) });
  const url = await listenOnLoopback(host.server, port);
  return {
    url,
    surfaceUrl: `${url}/`,
    runner,
    users,
    deliverTo: (target) => host.deliverTo(target),
    stop: () => host.stop(),
  };
}

/** Another host sends its own webhooks and shows its own threads; the page says where. */
async function pointTo(port: number, { url, key }: { url: string; key: string }): Promise<StartedHost> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
    response.end(`The threads of this stack are on the thread host at ${url}.\n`);
  });
  const origin = await listenOnLoopback(server, port);
  return {
    url,
    surfaceUrl: `${origin}/`,
    runner: { api_key: key },
    deliverTo: () => {},
    stop: () => closeServer(server),
  };
}

import path from 'node:path';
import { startDynamoDb } from './dynamodb-emulator.ts';
import { HttpApi } from './http-api.ts';
import type { Guard } from './iam/access-control.ts';
import type { Identity } from './identity.ts';
import { listenOnLoopback } from './loopback-server.ts';
import { REGION } from './resource-names.ts';
import { startSecretsManager } from './secrets-manager.ts';
import { type QueueState, startSqs } from './sqs-emulator.ts';
import type { StopStack } from './stop-stack.ts';
import { type StartedHost, startThreadHost } from './thread-host/start.ts';

export type ServersOptions = {
  /** First of five; 0 for any free ones. */
  port: number;
  identity: Identity;
  /** Stands before the emulators. */
  guard: Guard;
  /** Another thread host than the built-in one. */
  threadHost?: { url: string; key: string };
  /** Without it everything is in memory. */
  dataDir?: string;
  log: (source: string, line: string) => void;
};

/** Everything that listens. The gateway has no routes yet, and Secrets Manager no secrets: they are put into `secrets`. */
export type Servers = {
  httpApi: HttpApi;
  gatewayUrl: string;
  host: StartedHost;
  sqsUrl: string;
  queues(): QueueState[];
  dynamodbUrl: string;
  secretsManagerUrl: string;
  secrets: Map<string, string>;
};

export async function startServers(options: ServersOptions, stops: StopStack): Promise<Servers> {
  const { dataDir, guard } = options;
  const port = (offset: number) => options.port && options.port + offset;
  const folder = (name: string) => dataDir && { dataDir: path.join(dataDir, name) };
  async function started<Server extends { stop(): Promise<void> }>(server: Promise<Server>): Promise<Server> {
    const { stop } = await server;
    stops.add(stop);
    return server;
  }

  const httpApi = new HttpApi();
  const gatewayUrl = await listenOnLoopback(httpApi.server, port(0));
  stops.add(() => httpApi.stop());
  const host = await started(startThreadHost({ ...options, port: port(1) }));
  const sqs = await started(startSqs({ port: port(2), region: REGION, guard, ...folder('sqs') }));
  const dynamodb = await started(startDynamoDb({ port: port(3), guard, ...folder('dynamodb') }));
  const secrets = new Map<string, string>();
  const secretsManager = await started(startSecretsManager(port(4), secrets, guard));
  return {
    httpApi,
    gatewayUrl,
    host,
    sqsUrl: sqs.url,
    queues: sqs.queues,
    dynamodbUrl: dynamodb.url,
    secretsManagerUrl: secretsManager.url,
    secrets,
  };
}

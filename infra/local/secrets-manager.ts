import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Emulator } from './emulator.ts';
import type { Guard } from './iam/access-control.ts';
import { closeServer, listenOnLoopback, readBody, sendJson } from './loopback-server.ts';

const REQUEST_LIMIT_BYTES = 64 * 1024;
const CONTENT_TYPE = 'application/x-amz-json-1.1';
const ERRORS = { 'access denied': 'AccessDeniedException', 'unknown access key': 'UnrecognizedClientException' };

/** Secrets Manager as far as functions use it: `GetSecretValue`. @param values the secrets' texts by ARN */
export async function startSecretsManager(
  port: number,
  values: ReadonlyMap<string, string>,
  guard: Guard,
): Promise<Emulator> {
  const createdAt = Date.now() / 1000;
  const versionId = randomUUID();
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (name: string, message: string) =>
      sendJson(response, 400, { __type: name, Message: message }, CONTENT_TYPE);
    const action = request.headers['x-amz-target'];
    const body = JSON.parse(String(await readBody(request, REQUEST_LIMIT_BYTES))) as { SecretId?: unknown };
    const { authorization } = request.headers;
    const refusal = guard({ authorization, target: action, body: () => body });
    if (refusal) return refuse(ERRORS[refusal.reason], refusal.message);
    const { SecretId } = body;
    if (action !== 'secretsmanager.GetSecretValue') return refuse('UnknownOperationException', `no ${action} here`);
    const value = values.get(String(SecretId));
    if (value === undefined) {
      return refuse('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    }
    const name = String(SecretId).split(':').at(-1);
    const version = { VersionId: versionId, VersionStages: ['AWSCURRENT'], CreatedDate: createdAt };
    sendJson(response, 200, { ARN: SecretId, Name: name, SecretString: value, ...version }, CONTENT_TYPE);
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => sendJson(response, 400, { __type: 'SerializationException' }, CONTENT_TYPE));
  });
  return { url: await listenOnLoopback(server, port), stop: () => closeServer(server) };
}

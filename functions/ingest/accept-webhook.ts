import { threadGroup } from '#adapters/names.ts';
import type { Secret } from '#adapters/secrets.ts';
import { isSigned, type SignedRequest, webhookSecrets } from '#adapters/webhook-signature.ts';
import { parseJson } from '#core/json.ts';
import type { Clock, Telemetry, ThreadItemQueue } from '#core/ports.ts';
import { readEvent } from '#core/webhook-event.ts';

export type IngestPorts = { secrets: Secret; threadItems: ThreadItemQueue; clock: Clock; telemetry: Telemetry };
export type WebhookAnswer = { status: number; answer: Record<string, unknown> };

/** interface.md 1. The queue takes 1 MiB, which leaves room for what JSON escapes. */
const BODY_LIMIT_BYTES = 512 * 1024;

/** One constant answer, whatever was wrong: it tells an attacker nothing. */
const INVALID_SIGNATURE: WebhookAnswer = {
  status: 401,
  answer: { error: 'invalid_signature', message: 'The webhook is not signed with a secret that is known here.' },
};

/**
 * Verify, parse within bounds, drop what never matters, queue (protocol step 4).
 * @param trustItem false: the item inside is not believed, the resolver reads it from the thread host
 */
export async function acceptWebhook(
  ports: IngestPorts,
  request: SignedRequest,
  trustItem: boolean,
): Promise<WebhookAnswer> {
  if (request.body.length > BODY_LIMIT_BYTES) {
    return refusal(413, 'body_too_large', `The body is over ${BODY_LIMIT_BYTES} bytes.`);
  }
  const signed = await isSignedWithSecret(ports, request);
  if (signed === 'unknown')
    return refusal(503, 'secrets_unavailable', 'The signature could not be checked: send it again.');
  if (!signed) {
    ports.telemetry.info('webhook_refused', { length: request.body.length }, { SignatureInvalid: 1 });
    return INVALID_SIGNATURE;
  }
  const event = readBody(request.body);
  if ('status' in event || event.kind === 'malformed') {
    ports.telemetry.info('webhook_malformed', { length: request.body.length }, { WebhookMalformed: 1 });
    return 'status' in event ? event : malformed('The body is not a session event.', event.details);
  }
  if (event.kind === 'ignored') {
    ports.telemetry.info('webhook_ignored', { why: event.why }, { WebhookIgnored: 1 });
    return { status: 200, answer: { ignored: event.why } };
  }

  const { thread, item_id, item } = event;
  try {
    await ports.threadItems.send(thread, item_id, trustItem ? item : undefined);
  } catch (error) {
    ports.telemetry.failure('queue_unavailable', error, { item_id }, { EnqueueFailure: 1 });
    return refusal(503, 'queue_unavailable', 'The item could not be queued: send it again.');
  }
  const fields = { group: threadGroup(thread), item_id, length: request.body.length };
  ports.telemetry.info('webhook_accepted', fields, { WebhookAccepted: 1 });
  return { status: 202, answer: { accepted: true } };
}

/** A secret that was rotated a moment ago is read anew once, before a signature counts as wrong. */
async function isSignedWithSecret(ports: IngestPorts, request: SignedRequest): Promise<boolean | 'unknown'> {
  const { secrets, clock, telemetry } = ports;
  const isSignedBy = (text: string) => isSigned(request, webhookSecrets(text), clock.now());
  try {
    return isSignedBy(await secrets.read()) || isSignedBy(await secrets.readAgain());
  } catch (error) {
    telemetry.failure('webhook_secrets_unusable', error, {}, { SecretsUnusable: 1 });
    return 'unknown';
  }
}

function readBody(body: Buffer): ReturnType<typeof readEvent> | WebhookAnswer {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return malformed('The body is not UTF-8.');
  }
  const parsed = parseJson(text);
  return parsed.ok ? readEvent(parsed.value) : malformed(`The body is ${parsed.why}.`);
}

function malformed(message: string, details?: unknown): WebhookAnswer {
  const { status, answer } = refusal(400, 'malformed_body', message);
  return { status, answer: { ...answer, ...(details !== undefined && { details }) } };
}

function refusal(status: number, error: string, message: string): WebhookAnswer {
  return { status, answer: { error, message } };
}

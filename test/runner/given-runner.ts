import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Item, metadataField } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import type { Asking } from '../../runner/ask.ts';
import { fileInbox } from '../../runner/inbox.ts';
import type { OnNextTurn } from '../../runner/next-turns.ts';
import { type RunnerSettings, startRunner } from '../../runner/runner.ts';
import type { World } from '../local/world.ts';

export const APPROVAL = { question: 'Run it?', options: [{ label: 'Approve' }, { label: 'Deny' }] };
export const approval = (request_id: string): Asking => ({ request_id, kind: 'approval', questions: [APPROVAL] });
export const threadOf = (session_id: string): Thread => ({ revision_id: 'rev', session_id, alias: 'main' });

export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'runner-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Place = Pick<RunnerSettings, 'apiUrl' | 'queueUrl' | 'region' | 'sqsEndpoint'> & { secretAccessKey: string };

/** What a runner process needs to know of a stack; the default runner's role is named by its access key id. */
export function placeOf({ stack, runnerQueueUrl }: World): Place {
  const { aws, runner_api_url } = stack.addresses;
  const { region, sqs_endpoint, secret_access_key } = aws;
  return {
    apiUrl: runner_api_url,
    queueUrl: runnerQueueUrl,
    region,
    sqsEndpoint: sqs_endpoint,
    secretAccessKey: secret_access_key,
  };
}

export async function startGivenRunner(
  { secretAccessKey, ...place }: Place,
  more: Partial<RunnerSettings> & { folder?: string; onNextTurn?: OnNextTurn } = {},
) {
  const { folder = newFolder(), ...settings } = more;
  const credentials = async () => ({ accessKeyId: 'InteractivePrompts-runner-default', secretAccessKey });
  const inbox = await fileInbox(folder);
  return startRunner({ ...place, credentials, inbox, onNextTurn: async () => {}, report: () => {}, ...settings });
}

/** The thread's items of a metadata type, oldest first. */
export async function itemsOf({ door }: World, thread: Thread, type: string): Promise<Item[]> {
  const response = await fetch(`${door.url}/page/items?${new URLSearchParams(thread)}`);
  const { items } = (await response.json()) as { items: Item[] };
  return items.filter((item) => metadataField(item, 'type') === type);
}

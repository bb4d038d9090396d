import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ADDRESSES_FILE, type Addresses } from './addresses.ts';
import { OptionError } from './options.ts';
import { writeWhole } from './write-whole.ts';

/**
 * Says where everything is: to people, to who waits for the ready file, and to other commands of this project.
 * @returns takes the last of these back
 * @throws OptionError where the ready file cannot be written
 */
export function announce(addresses: Addresses, readyFile: string | undefined): () => void {
  const json = `${JSON.stringify(addresses, null, 2)}\n`;
  console.log(`
  thread page   ${addresses.surface_url}
  webhook       ${addresses.webhook_url}
  runner API    ${addresses.runner_api_url}
  runner queue  ${Object.values(addresses.runner_queue_urls).join('\n                ')}
  thread host   ${addresses.thread_host.url}
  SQS           ${addresses.aws.sqs_endpoint}
  DynamoDB      ${addresses.aws.dynamodb_endpoint}   table ${addresses.table_name}
  metrics       ${addresses.metrics_url}   alarms at /alarms
`);
  const withdraw = addresses.thread_host.users ? leaveFor(json) : () => {};
  if (readyFile === undefined) return withdraw;
  try {
    writeWhole(readyFile, json);
  } catch (error) {
    throw new OptionError(`The ready file cannot be written: ${(error as Error).message}.`);
  }
  return withdraw;
}

/** Only with the built-in thread host: with another one there are no users that a command could post as. */
function leaveFor(json: string): () => void {
  mkdirSync(path.dirname(ADDRESSES_FILE), { recursive: true });
  writeWhole(ADDRESSES_FILE, json);
  return () => rmSync(ADDRESSES_FILE, { force: true });
}

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { holdDataFolder } from './data-folder.ts';
import type { LocalCredentials } from './emulator.ts';
import type { StopStack } from './stop-stack.ts';
import { writeWhole } from './write-whole.ts';

export type HostUser = { user_id: string; api_key: string };
/** What a start makes up and a restart on the same data folder must find again. */
export type Identity = {
  credentials: LocalCredentials;
  webhookSecret: string;
  /** Of the built-in thread host. */
  runner: HostUser;
  users: HostUser[];
};

const FILE = 'identity.json';

/**
 * A new identity, or the one kept in the data folder, which this stack then holds until it stops.
 * @throws DataFolderError
 */
export function holdIdentity(dataDir: string | undefined, stops: StopStack): Identity {
  if (dataDir === undefined) return newIdentity();
  stops.add(holdDataFolder(dataDir).release);
  const file = path.join(dataDir, FILE);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const identity = newIdentity();
  writeWhole(file, JSON.stringify(identity, null, 2));
  return identity;
}

function newIdentity(): Identity {
  const user = (user_id: string) => ({ user_id, api_key: `key_${randomBytes(18).toString('base64url')}` });
  return {
    credentials: { accessKeyId: 'LOCALRUNNER', secretAccessKey: randomBytes(30).toString('base64url') },
    webhookSecret: `whsec_${randomBytes(24).toString('base64')}`,
    runner: user('usr_runner'),
    users: [user('usr_anna'), user('usr_ben')],
  };
}

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The data folder cannot be used; the message is one plain sentence. */
export class DataFolderError extends Error {
  override name = 'DataFolderError';
}

/**
 * Makes the folder and holds it until `release` or the end of the process, however that comes: the lock is the operating
 * system's, on an SQLite file. Two stacks on one folder would ruin it.
 * @throws DataFolderError
 */
export function holdDataFolder(folder: string): { release(): void } {
  let lock: DatabaseSync;
  try {
    mkdirSync(folder, { recursive: true });
    lock = new DatabaseSync(path.join(folder, 'lock'));
  } catch (error) {
    throw new DataFolderError(`The data folder ${folder} cannot be used: ${(error as Error).message}.`);
  }
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new DataFolderError(`The data folder ${folder} is in use by another local stack.`);
  }
  return { release: () => lock.close() };
}

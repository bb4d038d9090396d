import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NextTurn } from '#core/runner-message.ts';
import { threadName } from '#core/thread.ts';
import { readBody } from './read-message.ts';

/**
 * Where next turns wait for their agent. They cannot wait in the queue: it gives out nothing more of a thread while a
 * message of it is in hand, and the answer that the agent's turn waits for would be stuck behind it.
 */
export type Inbox = {
  /** Durable when it resolves. False where it was added before, also where it is done. */
  add(message: NextTurn): Promise<boolean>;
  /** What waits, in the order in which it was added. */
  waiting(): Promise<NextTurn[]>;
  /** The agent has these. */
  done(messages: NextTurn[]): Promise<void>;
};

export class InboxError extends Error {
  override name = 'InboxError';
}

/** How long the runner's queue keeps a message, so how long after a crash one may come again. */
const KEPT_MS = 14 * 24 * 3_600_000;

/**
 * An inbox of files, for one process at a time: `waiting/` holds the messages, `done/` the empty files with the names of
 * those that an agent has, so that a repeat is known after a restart too. Survives `kill -9` and a loss of power.
 * @throws InboxError where a file in there is no message of ours
 */
export async function fileInbox(folder: string): Promise<Inbox> {
  const waitingFolder = path.join(folder, 'waiting');
  const doneFolder = path.join(folder, 'done');
  await Promise.all([waitingFolder, doneFolder].map((each) => mkdir(each, { recursive: true })));
  await forgetOld(doneFolder);
  const done = new Set(await readdir(doneFolder));
  const files = new Map<string, string>();
  for (const file of (await readdir(waitingFolder)).sort()) {
    if (file.endsWith('.part')) await rm(path.join(waitingFolder, file));
    else if (done.has(nameIn(file))) await rm(path.join(waitingFolder, file));
    else files.set(nameIn(file), file);
  }
  let next = Math.max(0, ...[...files.values()].map((file) => Number.parseInt(file, 10))) + 1;

  return {
    async add(message) {
      const name = nameOf(message);
      if (files.has(name) || done.has(name)) return false;
      const file = `${String(next++).padStart(12, '0')}-${name}.json`;
      await writeDurably(path.join(waitingFolder, file), JSON.stringify(message));
      files.set(name, file);
      return true;
    },
    async waiting() {
      return Promise.all([...files.values()].map((file) => readWaiting(path.join(waitingFolder, file))));
    },
    async done(messages) {
      for (const name of messages.map(nameOf)) {
        await writeFile(path.join(doneFolder, name), '');
        done.add(name);
        const file = files.get(name);
        if (file) await rm(path.join(waitingFolder, file), { force: true });
        files.delete(name);
      }
      await sync(doneFolder);
    },
  };
}

/** A message's name beside its thread's; ids of the thread host are no file names. */
function nameOf({ thread, message_id }: NextTurn): string {
  return createHash('sha256')
    .update(JSON.stringify([threadName(thread), message_id]))
    .digest('hex')
    .slice(0, 40);
}

function nameIn(file: string): string {
  return file.slice(file.indexOf('-') + 1).replace(/\.json$/, '');
}

async function readWaiting(file: string): Promise<NextTurn> {
  const read = readBody(await readFile(file, 'utf8'));
  if (read.ok && read.message.type === 'next_turn') return read.message;
  throw new InboxError(`${file} is no next turn${read.ok ? '' : ` (${read.why})`}: move it away.`);
}

/** Whole or not at all: written beside, then named. */
async function writeDurably(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  const handle = await open(part, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, file);
  await sync(path.dirname(file));
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

async function forgetOld(doneFolder: string): Promise<void> {
  for (const name of await readdir(doneFolder)) {
    const file = path.join(doneFolder, name);
    if (Date.now() - (await stat(file)).mtimeMs > KEPT_MS) await rm(file);
  }
}

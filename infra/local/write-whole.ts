import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that nobody ever sees half written, and that nobody else may read: these files hold secrets. */
export function writeWhole(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.tmp`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

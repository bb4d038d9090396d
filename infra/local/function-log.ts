import { appendFileSync } from 'node:fs';

export type FunctionLog = (source: string, line: string) => void;

/** One file for what functions, event sources and the thread host say; with `verbose` the terminal shows it too. */
export function functionLog(file: string, verbose: boolean): FunctionLog {
  return (source, line) => {
    const entry = `${new Date().toISOString()} ${source} ${line}\n`;
    appendFileSync(file, entry, { mode: 0o600 });
    if (verbose) process.stdout.write(entry);
  };
}

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LambdaFunction, type LambdaSettings } from '../../infra/local/lambda-function.ts';

export type Stub = Partial<Pick<LambdaSettings, 'variables' | 'timeoutMs' | 'concurrency' | 'memoryMb' | 'ended'>>;

/** A function whose `index.mjs` is this code; `lines` gets its log. */
export function stubFunction(folder: string, code: string, stub: Stub = {}): LambdaFunction & { lines: string[] } {
  writeCode(folder, code);
  const lines: string[] = [];
  const lambda = new LambdaFunction({
    folder,
    handler: 'index.handler',
    context: { functionName: 'stub' },
    variables: stub.variables ?? {},
    timeoutMs: stub.timeoutMs ?? 5000,
    memoryMb: stub.memoryMb ?? 128,
    concurrency: stub.concurrency ?? 4,
    log: (line) => lines.push(line),
    ...(stub.ended && { ended: stub.ended }),
  });
  return Object.assign(lambda, { lines });
}

export function writeCode(folder: string, code: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'index.mjs'), code);
}

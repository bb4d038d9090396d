import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, FunctionError, ToWorker, WorkerSettings } from './execution-environment.ts';

/** Runs inside a worker thread: one execution environment of one function, with a process.env of its own. */
type Handler = (event: unknown, context: Record<string, unknown>) => unknown;

const settings = workerData as WorkerSettings;
const tell = (message: FromWorker) => parentPort?.postMessage(message);

async function loadHandler(): Promise<Handler> {
  const dot = settings.handler.lastIndexOf('.');
  const stem = path.join(settings.folder, settings.handler.slice(0, dot));
  const file = ['.mjs', '.js', '.cjs'].map((ending) => stem + ending).find(existsSync);
  if (!file) throw Object.assign(new Error(`Cannot find module '${stem}'`), { name: 'Runtime.ImportModuleError' });
  const handler = (await import(pathToFileURL(file).href))[settings.handler.slice(dot + 1)];
  if (typeof handler === 'function') return handler;
  throw Object.assign(new Error(`${settings.handler} is undefined or not exported`), {
    name: 'Runtime.HandlerNotFound',
  });
}

function errorOf(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: 'Error', errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] };
}

try {
  const handler = await loadHandler();
  parentPort?.on('message', async ({ requestId, event, deadline }: ToWorker) => {
    const context = {
      ...settings.context,
      awsRequestId: requestId,
      getRemainingTimeInMillis: () => Math.max(deadline - Date.now(), 0),
    };
    try {
      const result = await handler(JSON.parse(event), context);
      tell({ type: 'result', payload: JSON.stringify(result ?? null) });
    } catch (error) {
      // As Lambda's runtime does: the function's log is where its errors are read.
      console.error(error);
      tell({ type: 'error', error: errorOf(error) });
    }
  });
  tell({ type: 'ready' });
} catch (error) {
  console.error(error);
  tell({ type: 'error', error: errorOf(error) });
}

import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { announce } from './announce.ts';
import { DataFolderError } from './data-folder.ts';
import { functionLog } from './function-log.ts';
import { TemplateError } from './intrinsics.ts';
import { expectFreePorts, PortTakenError } from './loopback-server.ts';
import { tellLive } from './monitoring/live-summary.ts';
import { HELP, OptionError, type Options, PORTS_IN_USE, readOptions } from './options.ts';
import { StopStack } from './stop-stack.ts';
import { SynthError, synthesize } from './synth.ts';

/** Whatever has not stopped by then is cut off: five seconds are promised. */
const STOP_LIMIT_MS = 4500;
const PARENT_CHECK_MS = 500;

/** What the person at the terminal can mend: one plain sentence instead of a stack trace. */
const PLAIN_FAULTS = [OptionError, PortTakenError, DataFolderError, TemplateError, SynthError];

/** Starts the stack; what runs is on `stops`. */
async function start(options: Options, signal: AbortSignal, stops: StopStack): Promise<void> {
  const began = performance.now();
  const tell = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1)} s  ${text}`);

  if (options.port) await expectFreePorts(options.port, PORTS_IN_USE);
  tell('building the functions and synthesizing the stack');
  const assembly = await synthesize(signal);
  stops.add(assembly.remove);

  const logFile = path.join(tmpdir(), `interactive-prompts-${process.pid}.log`);
  tell(`deploying it here; the functions' logs go to ${logFile}`);
  // Loaded only now, so that the app had both cores.
  const { deployLocally } = await import('./deploy.ts');
  const log = functionLog(logFile, options.verbose);
  const stack = await deployLocally({ ...options, assembly: assembly.folder, log, say: console.log });
  stops.add(stack.stop);
  if (signal.aborted) return;

  stops.add(announce(stack.addresses, options.readyFile));
  tell('ready; Ctrl-C stops it');
  let isDemo = options.demo;
  stops.add(tellLive(stack.monitoring.metrics, console.log, () => isDemo));
  if (options.demo) await demo(stack.addresses, signal);
  isDemo = false;
}

/** A demo that fails leaves the stack running. */
async function demo(addresses: Parameters<typeof announce>[0], signal: AbortSignal): Promise<void> {
  try {
    const { runDemo } = await import('./demo.ts');
    await runDemo(addresses, { signal });
  } catch (error) {
    console.error('The demo agent failed:', error);
  }
}

/** @returns the exit code */
async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const stopping = new AbortController();
  const stopped = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  stopWithParent(() => stopping.abort());

  const stops = new StopStack();
  const started = start(options, stopping.signal, stops);
  try {
    // A start that fails ends it; one that succeeds does not.
    await Promise.race([Promise.all([started, stopped]), stopped]);
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    console.error(PLAIN_FAULTS.some((fault) => error instanceof fault) ? (error as Error).message : error);
    return 1;
  } finally {
    const all = started.catch(() => {}).then(() => stops.stopAll());
    await Promise.race([all, wait(STOP_LIMIT_MS)]);
  }
}

/** npm passes signals on; killed itself, it would leave this process behind. */
function stopWithParent(stop: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_CHECK_MS).unref();
}

process.exit(
  await run().catch((error) => {
    console.error(error instanceof OptionError ? error.message : error);
    return 1;
  }),
);

import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { synthesize } from '../../infra/local/synth.ts';
import type { World } from '../local/world.ts';
import { bringAbout, type Place } from './bring-about.ts';
import { CANNOT_FIRE, FAULTS, type Fault } from './faults.ts';

/**
 * `npm run drill`: brings every fault about on the local stack, and tells which alarm fired, and after how many of its
 * minutes. It fails where a fault did not fire its alarms, where an alarm of the template has no fault and is not in
 * `CANNOT_FIRE`, and where it is in it and fired. `npm run drill -- poison`: only the faults with that word.
 */
type Fired = { what: string; afterMs: number; minutes: number };

/** The longest waits for an age of fifteen. */
const LIMIT_MINUTES = 40;
/** Two cores: a third stack would only make all of them slower, and slow stacks miss their short minutes. */
const AT_ONCE = 2;
/** Of the names of its alarms. */
const STACK = /^InteractivePrompts-/;

const root = mkdtempSync(path.join(tmpdir(), 'drill-'));
const logFile = path.join(root, 'functions.log');
const [word = ''] = process.argv.slice(2);
const faults = FAULTS.filter(({ what }) => what.includes(word));
const names = new Set<string>();
const fired = new Map<string, Fired>();
const problems: string[] = [];

async function drill(fault: Fault, place: Place): Promise<void> {
  const missing = new Set(fault.alarms);
  const look = ({ stack }: World, afterMs: number): boolean => {
    for (const { name, state } of stack.monitoring.alarms()) {
      const short = name.replace(STACK, '');
      names.add(short);
      const isNews = missing.has(short) || Object.hasOwn(CANNOT_FIRE, short);
      if (state !== 'ALARM' || !isNews) continue;
      missing.delete(short);
      const minutes = afterMs / stack.monitoring.metrics.minuteMs;
      if (!fired.has(short)) fired.set(short, { what: fault.what, afterMs, minutes });
    }
    return missing.size === 0;
  };
  const problem = await bringAbout(fault, place, LIMIT_MINUTES, look).then(
    () => missing.size > 0 && `${[...missing].join(', ')} did not fire`,
    (error) => String(error),
  );
  console.log(`  ${problem ? '✗' : '✓'} ${fault.what}`);
  if (problem) problems.push(`Where ${fault.what}: ${problem}.`);
}

/** Whether every alarm fired that should. */
function report(): boolean {
  console.log('\n| alarm | made to fire by | after |\n|---|---|---|');
  const isAsked = (name: string) => !word || faults.some(({ alarms }) => alarms.includes(name));
  for (const name of [...names].filter(isAsked)) {
    const how = fired.get(name);
    const why = Object.hasOwn(CANNOT_FIRE, name) ? CANNOT_FIRE[name] : undefined;
    const after = how ? `${(how.afterMs / 1000).toFixed(0)} s = ${how.minutes.toFixed(0)} minutes` : '–';
    console.log(`| ${name} | ${how?.what ?? `cannot be made to fire here: ${why ?? '?'}`} | ${after} |`);
    if (!how && !why) problems.push(`${name} never fired.`);
    if (how && why) problems.push(`${name} fired, and the list says that it cannot.`);
  }
  const wanted = [...FAULTS.flatMap(({ alarms }) => alarms), ...Object.keys(CANNOT_FIRE)];
  problems.push(
    ...wanted.filter((name) => !names.has(name)).map((name) => `There is no alarm ${name} in the template.`),
  );
  console.log(`\n${problems.length === 0 ? 'Every alarm fires.' : problems.join('\n')}`);
  return problems.length === 0;
}

const assembly = await synthesize(new AbortController().signal);
try {
  const place = { assembly: assembly.folder, root, log: (line: string) => appendFileSync(logFile, `${line}\n`) };
  console.log(`${faults.length} faults, each on a stack of its own; the functions' logs go to ${logFile}`);
  const waiting = faults.toReversed();
  const worker = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) await drill(fault, place);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.exitCode = report() ? 0 : 1;
} finally {
  assembly.remove();
  if (process.exitCode === 0) rmSync(root, { recursive: true });
}

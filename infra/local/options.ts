import { parseArgs } from 'node:util';

export const HELP = `npm start runs the whole stack on this machine. Flags, after --:
  --port N                first port (default 4747); 0 = any free ones
  --no-demo               no demo agent
  --ready-file PATH       write the addresses as JSON when everything answers
  --thread-host URL       use this thread host instead of the built-in one, with
  --thread-host-key KEY   the API key of the user that prompts are posted as
  --webhook-secret S      accept webhooks signed with this whsec_... secret (repeatable)
  --data-dir PATH         keep table, queues and threads there over a restart
  --schedule-every S      run the schedules every S seconds (default 5)
  --minute S              an alarm's minute lasts S seconds, so that alarms fire sooner (default 60)
  --verbose               show the logs of the functions here
  --help                  this text
`;

const DEFAULT_PORT = 4747;
/** Ports in use from the first one on: gateway, thread host and page, SQS, DynamoDB, Secrets Manager, metrics. */
export const PORTS_IN_USE = 6;
const LAST_PORT = 65_535;
const DEFAULT_SCHEDULE_SECONDS = 5;
const DEFAULT_MINUTE_SECONDS = 60;
/** Standard Webhooks: 24 to 64 bytes of base64. */
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** A flag is wrong; the message is one plain sentence. */
export class OptionError extends Error {
  override name = 'OptionError';
}

export type Options = {
  port: number;
  demo: boolean;
  readyFile?: string;
  /** Another thread host than the built-in one. */
  threadHost?: { url: string; key: string };
  webhookSecrets: string[];
  dataDir?: string;
  scheduleEveryMs: number;
  /** How long an alarm's minute lasts. */
  minuteMs: number;
  verbose: boolean;
  help: boolean;
};

const FLAGS = {
  port: { type: 'string' },
  'no-demo': { type: 'boolean' },
  'ready-file': { type: 'string' },
  'thread-host': { type: 'string' },
  'thread-host-key': { type: 'string' },
  'webhook-secret': { type: 'string', multiple: true },
  'data-dir': { type: 'string' },
  'schedule-every': { type: 'string' },
  minute: { type: 'string' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** @throws OptionError */
export function readOptions(args: string[]): Options {
  const flags = parse(args);
  const threadHost = readThreadHost(flags['thread-host'], flags['thread-host-key']);
  const readyFile = readPath('--ready-file', flags['ready-file']);
  const dataDir = readPath('--data-dir', flags['data-dir']);
  const minute = readSeconds('--minute', flags.minute) ?? DEFAULT_MINUTE_SECONDS;
  // An alarm's minute in which nothing ran would be one of silence.
  const scheduleEvery =
    readSeconds('--schedule-every', flags['schedule-every']) ?? Math.min(minute, DEFAULT_SCHEDULE_SECONDS);
  return {
    port: readPort(flags.port),
    demo: !flags['no-demo'],
    ...(readyFile && { readyFile }),
    ...(threadHost && { threadHost }),
    webhookSecrets: (flags['webhook-secret'] ?? []).map(readWebhookSecret),
    ...(dataDir && { dataDir }),
    scheduleEveryMs: scheduleEvery * 1000,
    minuteMs: minute * 1000,
    verbose: flags.verbose ?? false,
    help: flags.help ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, strict: true }).values;
  } catch (error) {
    // The first sentence says what is wrong; the next ones teach parseArgs.
    const [what] = (error as Error).message.split(/\.\s/);
    throw new OptionError(`${what?.replace(/\.$/, '')}; npm start -- --help lists the flags.`);
  }
}

function readPort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port + PORTS_IN_USE - 1 <= LAST_PORT) return port;
  throw new OptionError(`--port must be 0 or a number up to ${LAST_PORT - PORTS_IN_USE + 1}, not "${text}".`);
}

function readSeconds(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds >= 0.1 && seconds <= 86_400) return seconds;
  throw new OptionError(`${flag} must be a number of seconds from 0.1 to 86400, not "${text}".`);
}

function readPath(flag: string, text: string | undefined): string | undefined {
  if (text === '') throw new OptionError(`${flag} must be followed by a path.`);
  return text;
}

function readWebhookSecret(text: string): string {
  if (WEBHOOK_SECRET.test(text)) return text;
  throw new OptionError('--webhook-secret must be whsec_ followed by base64 of at least 24 bytes.');
}

function readThreadHost(url: string | undefined, key: string | undefined): Options['threadHost'] {
  if (url === undefined && key === undefined) return undefined;
  if (!url || !key) throw new OptionError('--thread-host and --thread-host-key are only good together.');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new OptionError(`--thread-host must be an http or https URL, not "${url}".`);
  }
  return { url: url.replace(/\/+$/, ''), key };
}

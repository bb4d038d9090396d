import { expect, it } from 'vitest';
import { readOptions } from '../../infra/local/options.ts';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

it('has defaults', () => {
  expect(readOptions([])).toEqual({
    port: 4747,
    demo: true,
    webhookSecrets: [],
    scheduleEveryMs: 5000,
    minuteMs: 60_000,
    verbose: false,
    help: false,
  });
});

it('reads every flag', () => {
  const args = `--port 0 --no-demo --ready-file r.json --thread-host http://h/ --thread-host-key k --data-dir d
    --webhook-secret ${SECRET} --webhook-secret ${SECRET} --schedule-every 0.5 --minute 3 --verbose --help`;
  expect(readOptions(args.split(/\s+/))).toEqual({
    port: 0,
    demo: false,
    readyFile: 'r.json',
    threadHost: { url: 'http://h', key: 'k' },
    dataDir: 'd',
    webhookSecrets: [SECRET, SECRET],
    scheduleEveryMs: 500,
    minuteMs: 3000,
    verbose: true,
    help: true,
  });
});

it('runs the schedules in every minute, however short', () => {
  expect(readOptions(['--minute', '2']).scheduleEveryMs).toBe(2000);
});

it.each([
  ['--unknown', "Unknown option '--unknown'"],
  ['word', "Unexpected argument 'word'"],
  ['--port', '--port'],
  ['--port x', '--port must be 0 or a number up to 65530, not "x".'],
  ['--port -1', '--port'],
  ['--port 65531', '--port must be'],
  ['--schedule-every 0', '--schedule-every must be'],
  ['--schedule-every 1e3', '--schedule-every must be'],
  ['--minute x', '--minute must be a number of seconds'],
  ['--thread-host http://h', '--thread-host and --thread-host-key are only good together.'],
  ['--thread-host-key k', '--thread-host and --thread-host-key are only good together.'],
  ['--thread-host ftp://h --thread-host-key k', '--thread-host must be an http or https URL'],
  ['--webhook-secret abc', '--webhook-secret must be whsec_'],
  ['--ready-file=', '--ready-file must be followed by a path.'],
])('%s is refused in one sentence', (args, message) => {
  expect(() => readOptions(args.split(' '))).toThrow(message);
  expect(() => readOptions(args.split(' '))).toThrow(/^[^\n]*\.$/);
});

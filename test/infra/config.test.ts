import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, DEFAULT_STAGE, readStage } from '../../infra/config.ts';

test('the default stage keeps what people wrote', () => {
  expect(readStage(DEFAULT_STAGE)).toEqual({
    name: 'prod',
    runners: { default: {} },
    trustWebhookItem: true,
    logRetentionDays: 90,
    ingestConcurrency: 20,
    batchSize: 10,
    tags: {},
    removal: 'retain',
  });
});

test('the trial stage goes away with its stack', () => {
  expect(readStage('trial')).toMatchObject({ name: 'trial', removal: 'destroy' });
});

const tooMany = Object.fromEntries(['default', ...Array.from({ length: 16 }, (_, n) => `r-${n}`)].map((n) => [n, {}]));
const trusting = (...trusted: unknown[]) => ({ runners: { default: { trusted } } });
const NAME = 'must be up to 30 lower-case letters, digits and hyphens, such as "default"';
const PRINCIPAL =
  "must be an account's 12 digits, the ARN of an IAM role or user, or ec2, ecs-tasks or lambda.amazonaws.com";

describe('settings that cannot work fail with their path', () => {
  test.each([
    [{ runners: {} }, 'stages.prod.runners must hold "default", which gets the unclaimed threads'],
    [{ runners: { research: {} } }, 'stages.prod.runners must hold "default", which gets the unclaimed threads'],
    [{ runners: { default: {}, Größer: {} } }, `stages.prod.runners.Größer ${NAME}`],
    [{ runners: tooMany }, 'stages.prod.runners must hold at most 16 runners'],
    [{ runners: { default: { trust: '*' } } }, 'stages.prod.runners.default must not have "trust"'],
    [trusting(), 'stages.prod.runners.default.trusted must name someone, or be left out'],
    [trusting('*'), `stages.prod.runners.default.trusted.0 ${PRINCIPAL}`],
    [trusting('arn:aws:iam::111122223333:role/*'), `stages.prod.runners.default.trusted.0 ${PRINCIPAL}`],
    [trusting('arn:aws:sts::111122223333:assumed-role/a/b'), `stages.prod.runners.default.trusted.0 ${PRINCIPAL}`],
    [trusting('111122223333', 's3.amazonaws.com'), `stages.prod.runners.default.trusted.1 ${PRINCIPAL}`],
    [{ trustWebhookItem: 'yes' }, 'stages.prod.trustWebhookItem must be true or false'],
    [
      { logRetentionDays: 91 },
      'stages.prod.logRetentionDays must be a number of days that CloudWatch Logs knows, such as 7, 30, 90 or 365',
    ],
    [{ ingestConcurrency: 0 }, 'stages.prod.ingestConcurrency must be at least 1'],
    [
      { threadHostUrl: 'http://host.example' },
      'stages.prod.threadHostUrl must be an address such as https://blobhub.example',
    ],
    [{ operatorEmail: 'anna' }, 'stages.prod.operatorEmail must be an e-mail address'],
    [{ batchSize: 11 }, 'stages.prod.batchSize must be at most 10'],
    [{ tags: { team: 1 } }, 'stages.prod.tags.team must be a text'],
    [{ removal: 'keep' }, 'stages.prod.removal must be "retain" or "destroy"'],
    [{ runner: {} }, 'stages.prod must not have "runner"'],
  ])('%j', (settings, fault) => {
    expect(() => readStage('prod', { prod: settings })).toThrow(
      new ConfigError(`The settings in infra/config.ts cannot work: ${fault}.`),
    );
  });

  test('several faults are told at once', () => {
    expect(() => readStage('prod', { prod: { ingestConcurrency: 1.5, removal: '' } })).toThrow(
      'stages.prod.ingestConcurrency must be a whole number; stages.prod.removal must be "retain" or "destroy".',
    );
  });

  test.each(['nope', '__proto__', 'toString'])('the unknown stage %s', (name) => {
    const message = `There is no stage "${name}" in infra/config.ts: it has prod, trial.`;
    expect(() => readStage(name)).toThrow(new ConfigError(message));
  });
});

test('synth says so in one sentence and fails', { timeout: 30_000 }, async () => {
  const app = path.resolve(import.meta.dirname, '../../infra/app.ts');
  const outdir = await mkdtemp(path.join(tmpdir(), 'no-stage-'));
  onTestFinished(() => rm(outdir, { recursive: true }));
  const env = {
    ...process.env,
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: '{"stage":"nope"}',
    CDK_VALIDATION: 'false',
  };
  const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [app], { env }, (error, _, stderr) => resolve({ code: error?.code, stderr }));
  });
  expect(ended).toEqual({ code: 1, stderr: 'There is no stage "nope" in infra/config.ts: it has prod, trial.\n' });
});

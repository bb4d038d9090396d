import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Clock } from '#core/ports.ts';

/** A secret's text, read at run time and kept for a while, so that a rotation needs no deployment. */
export interface Secret {
  read(): Promise<string>;
  /** Reads it anew, unless that was done within the last minute: a flood of bad signatures must not become one of reads. */
  readAgain(): Promise<string>;
}

const KEPT_MS = 5 * 60_000;
const READ_AGAIN_MS = 60_000;

export function secret(secretsManager: SecretsManagerClient, SecretId: string, clock: Clock): Secret {
  let kept: { text: Promise<string>; at: number } | undefined;
  const readUnlessYounger = (ms: number): Promise<string> => {
    if (kept && clock.now() - kept.at < ms) return kept.text;
    const text = secretsManager
      .send(new GetSecretValueCommand({ SecretId }))
      .then(({ SecretString }) => SecretString ?? '');
    kept = { text, at: clock.now() };
    text.catch(() => {
      kept = undefined;
    });
    return text;
  };
  return { read: () => readUnlessYounger(KEPT_MS), readAgain: () => readUnlessYounger(READ_AGAIN_MS) };
}

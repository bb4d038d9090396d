import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '#adapters/clock.ts';
import { promptEnv } from '#adapters/env.ts';
import { mintPromptId } from '#adapters/names.ts';
import { promptStore } from '#adapters/prompt-store.ts';
import { runnerQueues, threadItemQueue } from '#adapters/queues.ts';
import { secret } from '#adapters/secrets.ts';
import { telemetry } from '#adapters/telemetry.ts';
import { threadHost } from '#adapters/thread-host.ts';
import type { Ports } from '#core/ports.ts';

/** Cold start: everything outside, made once per execution environment and passed on. */
export function promptPorts(functionName: string): Ports {
  const env = promptEnv();
  const sqs = new SQSClient();
  return {
    store: promptStore(new DynamoDBClient(), env.TABLE_NAME, systemClock.now),
    threadHost: threadHost(
      env.THREAD_HOST_URL,
      secret(new SecretsManagerClient(), env.THREAD_HOST_KEY_ARN, systemClock),
    ),
    runnerQueues: runnerQueues(sqs, env.RUNNER_QUEUE_URLS),
    threadItems: threadItemQueue(sqs, env.RESOLVER_QUEUE_URL),
    clock: systemClock,
    telemetry: telemetry({ function: functionName }),
    mintPromptId,
  };
}

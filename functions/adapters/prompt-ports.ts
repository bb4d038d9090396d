import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '#adapters/clock.ts';
import { promptEnv } from '#adapters/env.ts';
import { mintPromptId } from '#adapters/names.ts';
import { promptStore } from '#adapters/prompt-store.ts';
import { runnerQueues, threadItemQueue } from '#adapters/queues.ts';
import { secret } from '#adapters/secrets.ts';
import { type FunctionTelemetry, telemetry } from '#adapters/telemetry.ts';
import { threadHost } from '#adapters/thread-host.ts';
import type { LogFields, Ports, PromptStore, Telemetry } from '#core/ports.ts';

export type FunctionPorts = Ports & { telemetry: FunctionTelemetry };

/** Cold start: everything outside, made once per execution environment and passed on. */
export function promptPorts(functionName: string): FunctionPorts {
  const env = promptEnv();
  const told = telemetry({ stage: env.STAGE, function: functionName });
  const sqs = new SQSClient();
  return {
    store: countingLosses(promptStore(new DynamoDBClient(), env.TABLE_NAME, systemClock.now), told),
    threadHost: threadHost(
      env.THREAD_HOST_URL,
      secret(new SecretsManagerClient(), env.THREAD_HOST_KEY_ARN, systemClock),
    ),
    runnerQueues: runnerQueues(sqs, env.RUNNER_QUEUE_URLS),
    threadItems: threadItemQueue(sqs, env.RESOLVER_QUEUE_URL),
    clock: systemClock,
    telemetry: told,
    mintPromptId,
  };
}

/** The same for one invocation, whose lines in the log carry these fields. */
export function portsOf(ports: FunctionPorts, fields: LogFields): Ports {
  return { ...ports, telemetry: ports.telemetry.of(fields) };
}

function countingLosses(store: PromptStore, told: Telemetry): PromptStore {
  return {
    ...store,
    save: async (thread, slot) => {
      const isWritten = await store.save(thread, slot);
      if (!isWritten) told.info('write_lost', {}, { WriteLost: 1 });
      return isWritten;
    },
  };
}

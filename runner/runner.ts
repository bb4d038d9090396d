import { SQSClient } from '@aws-sdk/client-sqs';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { Thread } from '#core/thread.ts';
import { pauseFor } from './call-again.ts';
import type { Inbox } from './inbox.ts';
import { NextTurns, type OnNextTurn } from './next-turns.ts';
import type { ReadMessage } from './read-message.ts';
import { Run } from './run.ts';
import { runnerApi } from './runner-api.ts';
import { followRunnerQueue } from './runner-queue.ts';
import type { Credentials } from './signed-fetch.ts';
import { Waiting } from './waiting.ts';

export type { NextTurn } from '#core/runner-message.ts';
export type { Thread } from '#core/thread.ts';
export type { Ask, Asking, Outcome } from './ask.ts';
export type { GivenOutcome, Run } from './run.ts';
export type { Attached } from './runner-api.ts';

export type RunnerSettings = {
  /** `RunnerApiUrl` of the stack's outputs. */
  apiUrl: string;
  /** This runner's of `RunnerQueueUrls`; one process reads it. */
  queueUrl: string;
  region: string;
  /** This runner's name, to take over the threads on which it attaches or asks. Without it they stay with whose they are. */
  runner?: string;
  inbox: Inbox;
  onNextTurn: OnNextTurn;
  /** Default: the AWS SDK's own chain. Asked at every call, so that credentials that rotate stay good. */
  credentials?: () => Promise<Credentials>;
  /** Of another queue service than AWS's own. */
  sqsEndpoint?: string;
  /** What went wrong and was not given up; no question, answer or item is in it. Default: a line on stderr. */
  report?: (what: string, error?: unknown) => void;
};

export type Runner = {
  /** A new run of the agent on a thread; what it asks supersedes what an older run has open there. */
  run(thread: Thread): Run;
  /** Reads the queue no more and leaves every question open, as `park` does. A next turn in hand is not waited for. */
  stop(): Promise<void>;
};

/**
 * The process beside the agents: reads the runner's queue, tells outcomes to those who wait for them, and hands next
 * turns over. It goes on through every outage. @throws where the inbox cannot be read
 */
export async function startRunner(settings: RunnerSettings): Promise<Runner> {
  const { apiUrl, queueUrl, region, runner, inbox, onNextTurn } = settings;
  const { credentials = defaultProvider(), sqsEndpoint, report = toStderr } = settings;
  const stopping = new AbortController();
  const { signal } = stopping;
  const waiting = new Waiting();
  const nextTurns = new NextTurns({ inbox, onNextTurn, report, pause: pauseFor, signal });
  const ports = {
    api: runnerApi(apiUrl, { region, credentials }),
    waiting,
    pause: pauseFor,
    report,
    park: signal,
    newestRuns: new Map<string, number>(),
    ...(runner !== undefined && { runner }),
  };
  let runs = 0;
  await nextTurns.takeUp();
  const sqs = new SQSClient({ region, credentials, ...(sqsEndpoint && { endpoint: sqsEndpoint }) });
  const following = followRunnerQueue(
    sqs,
    queueUrl,
    async (message) => {
      if (message.type === 'next_turn') await nextTurns.add(message);
      else waiting.tell(message, message);
    },
    signal,
    {
      malformed: ({ to }: ReadMessage & { ok: false }) => to && waiting.tell(to, { type: 'malformed' }),
      afterBatch: () => nextTurns.handOver(),
      report,
    },
  );
  return {
    run: (thread) => new Run(ports, thread, ++runs),
    async stop() {
      stopping.abort();
      await following;
      sqs.destroy();
    },
  };
}

function toStderr(what: string, error?: unknown): void {
  const cause = error instanceof Error ? `: ${error.name}: ${error.message}` : '';
  process.stderr.write(`interactive-prompts runner: ${what}${cause}\n`);
}

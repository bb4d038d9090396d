import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Answer, Question } from '#core/prompt.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import type { Raise, Raised, RunnerApi } from '../runner-api.ts';
import { followRunnerQueue } from '../runner-queue.ts';

/** What the scripted agent needs of its surroundings: the runner API, its queue, and somebody to tell. */
export type AgentRunner = {
  api: RunnerApi;
  sqs: SQSClient;
  queueUrl: string;
  thread: Thread;
  /** A question is on the thread: show people how to answer it. */
  asked: (raised: Raised) => void;
  say: (line: string) => void;
};

const COMMAND = 'rm -rf build && npm run deploy -- --stage production';
const DESIGN_QUESTIONS: Question[] = [
  {
    question: 'Where should the data come from?',
    multiSelect: false,
    options: [
      { label: 'CSV import', description: 'people upload a file' },
      { label: 'API', description: 'the billing service, nightly' },
    ],
  },
  {
    question: 'Which sections?',
    multiSelect: true,
    options: [{ label: 'KPI cards' }, { label: 'Table' }, { label: 'Chart' }],
  },
  { question: 'Any preference for visual style?' },
];

/** A coding agent without a model: it asks three things at once, then for approval of a command, and says what it got. */
export async function runScriptedAgent(runner: AgentRunner, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const outcomes = new Map<string, (message: RunnerMessage) => void>();
  const following = followRunnerQueue(
    runner.sqs,
    runner.queueUrl,
    async (message) => hear(runner, outcomes, message),
    AbortSignal.any([signal, done.signal]),
  );
  const ask = (raise: Omit<Raise, 'request_id'>) => askPrompt(runner, outcomes, raise, signal);
  try {
    await ask({ kind: 'ask_user_question', questions: DESIGN_QUESTIONS });
    const options = [{ label: 'Approve' }, { label: 'Deny' }];
    const answers = await ask({
      kind: 'approval',
      questions: [{ question: `Run this command?\n\n    ${COMMAND}`, options }],
    });
    const approved = answers?.length === 1 && JSON.stringify(answers[0]?.answer) === '["Approve"]';
    runner.say(approved ? `The agent would now run: ${COMMAND}` : 'The agent does not run the command.');
  } finally {
    done.abort();
    await following;
  }
}

/** @returns the answers, or `undefined` where the prompt was cancelled */
async function askPrompt(
  { api, thread, asked, say }: AgentRunner,
  outcomes: Map<string, (message: RunnerMessage) => void>,
  raise: Omit<Raise, 'request_id'>,
  signal: AbortSignal,
): Promise<Answer[] | undefined> {
  const request_id = `call_${crypto.randomUUID()}`;
  const outcome = new Promise<RunnerMessage>((resolve, reject) => {
    outcomes.set(request_id, resolve);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const raised = await api.raise(thread, { ...raise, request_id });
  asked(raised);
  const message = await outcome;
  await api.ack(thread, raised.prompt.prompt_id);
  if (message.type !== 'prompt_answered') return undefined;
  say(`The agent was given, by ${message.item.user_id}:`);
  for (const { question, answer } of message.prompt.answers) {
    say(`  ${question.split('\n')[0]} → ${JSON.stringify(answer)}`);
  }
  return message.prompt.answers;
}

function hear(
  runner: AgentRunner,
  outcomes: Map<string, (message: RunnerMessage) => void>,
  message: RunnerMessage,
): void {
  if (message.type === 'next_turn') runner.say('An item that answers nothing waits for the next turn.');
  else outcomes.get(message.request_id)?.(message);
}

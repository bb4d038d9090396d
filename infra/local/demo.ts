import { SQSClient } from '@aws-sdk/client-sqs';
import type { Question } from '#core/prompt.ts';
import { promptText } from '#core/texts.ts';
import type { Thread } from '#core/thread.ts';
import { type AgentRunner, runScriptedAgent } from '../../runner/example/scripted-agent.ts';
import { type Raised, runnerApi } from '../../runner/runner-api.ts';
import type { Addresses } from './addresses.ts';
import { type HostPost, postCommand, shellQuoted } from './host-post.ts';

/** The agent of `npm start`: it asks through the runner API, and the terminal shows how a person answers. */
export async function runDemo(addresses: Addresses, { signal }: { signal: AbortSignal }): Promise<void> {
  const { aws, runner_api_url, runner_queue_urls } = addresses;
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const sqs = new SQSClient({ region: aws.region, endpoint: aws.sqs_endpoint, credentials });
  const thread = { revision_id: 'rev_demo', session_id: `ses_${crypto.randomUUID().slice(0, 8)}`, alias: 'main' };
  const runner: AgentRunner = {
    api: runnerApi(runner_api_url, { region: aws.region, credentials: async () => credentials }),
    sqs,
    queueUrl: runner_queue_urls.default ?? '',
    thread,
    asked: (raised) => say(howToAnswer(addresses, thread, raised)),
    say,
  };
  say('A demo agent (no model behind it) now asks two prompts; it waits for you as long as it takes.');
  try {
    await runScriptedAgent(runner, signal);
    say('\nThe demo is done; the stack goes on. Stop it with Ctrl-C.');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    sqs.destroy();
  }
}

function howToAnswer(addresses: Addresses, thread: Thread, { prompt }: Raised): string {
  const { surface_url, thread_host } = addresses;
  const [user] = thread_host.users ?? [];
  const lines = ['', '── on the thread ──', promptText(prompt.questions), '───────────────────', ''];
  if (!user) return [...lines, `Answer it on your thread host (${thread_host.url}).`].join('\n');
  const { text, answers } = suggestedAnswer(prompt.questions);
  const post: HostPost = {
    content: [{ type: 'text', text }],
    metadata: { prompt_id: prompt.prompt_id, answers },
  };
  lines.push(
    `Answer as ${user.user_id}, in another terminal, in words:`,
    `  npm run reply -- ${shellQuoted(prompt.kind === 'approval' ? 'yes' : text)}`,
    prompt.questions.length > 1 ? 'or each question its own answer (words would answer all of them alike):' : 'or:',
    `  ${postCommand(thread_host.url, user.api_key, thread, post)}`,
    `or on the page ${surface_url}`,
    '',
  );
  return lines.join('\n');
}

function suggestedAnswer(questions: Question[]): { text: string; answers: { question: string; answer: string[] }[] } {
  const answers = questions.map(({ question, options, multiSelect }) => {
    const labels = (options ?? []).map(({ label }) => label);
    if (labels.length === 0) return { question, answer: ['dark theme'] };
    return { question, answer: labels.slice(0, multiSelect ? 2 : 1) };
  });
  return { text: answers.map(({ answer }) => answer.join(', ')).join(' · '), answers };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

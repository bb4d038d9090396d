import { Command, CommanderError } from 'commander';
import { promptView } from '#core/prompt-view.ts';
import type { Thread } from '#core/thread.ts';
import { runnerApi } from '../../runner/runner-api.ts';
import { awsDeployment, type Deployment, localDeployment, OperatorError } from './deployment.ts';
import { examine } from './doctor.ts';
import { findPrompt, type Listed, listPrompts } from './prompts.ts';
import { redrive } from './redrive.ts';

/** `npm run prompts -- <command>`: what an operator does with a deployed stack, or with the one of `npm start`. */
const program = new Command('npm run prompts --')
  .description('Looks after the prompts of a deployed stack (AWS_PROFILE, AWS_REGION) or of npm start (--local).')
  .option('--local', 'the stack that npm start runs on this machine')
  .option('--stack <name>', 'the CloudFormation stack', 'InteractivePrompts')
  .option('--json', 'one JSON document, for programs')
  .exitOverride();

const deployment = (): Promise<Deployment> | Deployment =>
  program.opts().local ? localDeployment() : awsDeployment(program.opts().stack);
const print = (value: unknown, text: () => string) =>
  console.log(program.opts().json ? JSON.stringify(value, null, 2) : text());

program
  .command('list')
  .description('open questions, the oldest first')
  .option('--unfinished', 'instead: what is decided and not yet told or shown everywhere')
  .option('--unacknowledged', 'instead: outcomes that no agent said it has')
  .action(async ({ unfinished, unacknowledged }) => {
    const list = unfinished ? 'unfinished' : unacknowledged ? 'unacknowledged' : 'open';
    const listed = await listPrompts(await deployment(), list);
    print(listed, () => (listed.length === 0 ? 'None.' : listed.map(line).join('\n')));
  });

program
  .command('show <prompt_id>')
  .description('one prompt whole, its question and answers too')
  .option('--thread <revision/session/alias>', 'where it is finished', threadOf)
  .action(async (id: string, { thread }) => {
    const found = await findPrompt(await deployment(), id, thread);
    print({ ...found, prompt: found.prompt }, () =>
      JSON.stringify({ thread: found.thread, ...shownOf(found.prompt) }, null, 2),
    );
  });

program
  .command('cancel <prompt_id>')
  .description('cancels an open prompt, as its runner would')
  .requiredOption('--reason <text>', 'shown on the thread and to the agent')
  .option('--thread <revision/session/alias>', 'where it is', threadOf)
  .action(async (id: string, { reason, thread }) => {
    const at = await deployment();
    const found = await findPrompt(at, id, thread);
    const won = await runnerApi(at.runnerApiUrl, at.identity).cancel(found.thread, id, reason);
    print(won, () =>
      won.prompt_state === 'cancelled' ? `Cancelled: ${won.reason}` : `Too late: it was ${won.prompt_state}.`,
    );
  });

program
  .command('ack <prompt_id>')
  .description('says in place of a dead run that its outcome is not needed any more')
  .option('--thread <revision/session/alias>', 'where it is', threadOf)
  .action(async (id: string, { thread }) => {
    const at = await deployment();
    await runnerApi(at.runnerApiUrl, at.identity).ack((await findPrompt(at, id, thread)).thread, id);
    print({ acknowledged: id }, () => 'Acknowledged.');
  });

program
  .command('redrive')
  .description('puts dead letters back into the queue of thread items (infra/runbook.md says why that is safe)')
  .action(async () => {
    const { sqs, resolverDlqUrl, resolverQueueUrl } = await deployment();
    const moved = await redrive(sqs, resolverDlqUrl, resolverQueueUrl);
    print({ moved }, () => `${moved} put back.`);
  });

program
  .command('doctor')
  .description('checks a deployment from end to end')
  .action(async () => {
    const findings = await examine(await deployment());
    print(findings, () => findings.map(({ ok, what, why }) => `${ok ? '✓' : '✗'} ${what}: ${why}`).join('\n'));
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  });

const shownOf = (prompt: Parameters<typeof promptView>[0] | { state: 'withdrawn'; prompt_id: string }) =>
  prompt.state === 'withdrawn' ? prompt : promptView(prompt);

function line({ prompt_id, kind, thread, runner, ageMs, owed }: Listed): string {
  const where = `${thread.revision_id}/${thread.session_id}/${thread.alias}`;
  return `${age(ageMs).padStart(8)}  ${prompt_id}  ${kind.padEnd(17)}  ${runner.padEnd(10)}  ${where}  waits for ${owed}`;
}

function age(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
}

function threadOf(name: string): Thread {
  const [revision_id, session_id, alias, ...more] = name.split('/').map(decodeURIComponent);
  if (!revision_id || !session_id || !alias || more.length > 0) {
    throw new OperatorError(
      '--thread names all three ids, percent-encoded and joined by slashes: revision/session/alias.',
    );
  }
  return { revision_id, session_id, alias };
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

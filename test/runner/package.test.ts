import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from './given-runner.ts';

/** `npm pack`, unpacked into an empty project together with what the package says it depends on, and nothing else. */
const ROOT = path.resolve(import.meta.dirname, '../..');

const PROGRAM = `
import { startRunner, type Ask, type NextTurn, type Outcome, type Runner } from 'interactive-prompts/runner';
import { runClaude, sessionAfter } from 'interactive-prompts/runner/claude';
import { runCodex } from 'interactive-prompts/runner/codex';
import { fileInbox } from 'interactive-prompts/runner/inbox';
import { checkPolicy, decide } from 'interactive-prompts/runner/policy';

const runner: Runner = await startRunner({
  apiUrl: 'http://127.0.0.1:1/',
  queueUrl: 'http://127.0.0.1:1/q.fifo',
  region: 'us-east-1',
  sqsEndpoint: 'http://127.0.0.1:1/',
  credentials: async () => ({ accessKeyId: 'k', secretAccessKey: 's' }),
  inbox: await fileInbox('inbox'),
  onNextTurn: async (_thread, messages: NextTurn[]) => console.log(messages.map(({ item }) => item.id)),
  report: () => {},
});
const run = runner.run({ revision_id: 'r', session_id: 's', alias: 'main' });
const ask: Ask = run.ask;
const options = [{ label: 'Approve' }, { label: 'Deny' }];
const asking = { request_id: 'r', kind: 'approval', questions: [{ question: 'Run it?', options }] } as const;
const outcome: Outcome = await ask({ ...asking, questions: [...asking.questions] }, undefined, AbortSignal.timeout(100));
await runner.stop();
// @ts-expect-error: the types are there, not any
const wrong: number = outcome.state;
const policy = checkPolicy({ permissions: 'guarded', rules: [{ verdict: 'allow', command: 'npm test' }] });
console.log(outcome.state, decide(policy, { tool: 'Bash', command: 'npm test' }), typeof runClaude, typeof sessionAfter, typeof runCodex);
export const unused: unknown = wrong;
`;

it('is imported, with its types, by a project that has nothing but the package and its dependencies', () => {
  const project = newFolder();
  const installed = path.join(project, 'node_modules/interactive-prompts');
  mkdirSync(installed, { recursive: true });
  const env = { ...process.env, PATH: `${path.join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` };
  const run = (cwd: string, command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8' });
  const packed = run(ROOT, 'npm', 'pack', '--silent', '--pack-destination', project).trim().split('\n').at(-1) ?? '';
  run(project, 'tar', '-xzf', packed, '-C', installed, '--strip-components=1');

  const manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    const link = path.join(project, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules', name), link);
  }
  writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(project, 'program.ts'), PROGRAM);
  const strict = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--skipLibCheck',
    'false',
  ];
  run(project, 'node', path.join(ROOT, 'node_modules/typescript/bin/tsc'), ...strict, '--noEmit', 'program.ts');
  expect(run(project, 'node', 'program.ts')).toBe('parked allow function function function\n');
  expect(run(installed, 'find', '.', '-name', '*.ts', '-not', '-name', '*.d.ts')).toBe('');
}, 60_000);

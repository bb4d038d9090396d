import { expect, it } from 'vitest';
import { approvalQuestion } from '../../../runner/claude/approval-question.ts';
import { callbackOf } from './frames.ts';

function told(scene: Parameters<typeof callbackOf>[0]): string {
  const { tool, input, details } = callbackOf(scene);
  return approvalQuestion(tool, input, details).question;
}

it('tells a command, what the model says of it, and the path it touches', () => {
  expect(told('bash')).toBe('Claude wants to use Bash\n\n    touch made\n\nmake a file\n\nPath: /srv/made');
});

it('tells a file with all that is to stand in it, and why a permission is needed', () => {
  expect(told('write')).toBe(
    'Claude wants to use Write\n\n    file_path: /srv/notes.md\n    content:\n        one\n        two\n        \n\nReason: Path is outside allowed working directories',
  );
});

it('tells a single path as it is', () => {
  expect(told('read_outside')).toBe(
    'Claude wants to use Read\n\n    /etc/hostname\n\nReason: Path is outside allowed working directories',
  );
});

it("begins with the harness's own sentence where it has one, and offers Approve and Deny", () => {
  expect(approvalQuestion('Bash', { command: 'ls' }, { title: 'Claude wants to list files' })).toEqual({
    question: 'Claude wants to list files\n\n    ls',
    options: [{ label: 'Approve' }, { label: 'Deny' }],
  });
});

it('cuts nothing, however long', () => {
  const command = `echo ${'x'.repeat(100_000)}; rm -rf /`;
  expect(approvalQuestion('Bash', { command }, {}).question).toContain(command);
});

it('shows a description that a tool acts on', () => {
  const input = { title: 'Bug', description: 'Delete everything' };
  const { question } = approvalQuestion('mcp__tracker__create', input, { description: 'Creates an issue' });
  expect(question).toBe(
    'Claude wants to use mcp__tracker__create\n\n    title: Bug\n    description: Delete everything\n\nCreates an issue',
  );
});

it('shows what else a command is given with', () => {
  const input = { command: 'make', run_in_background: true, dangerouslyDisableSandbox: true };
  expect(approvalQuestion('Bash', input, {}).question).toContain('dangerouslyDisableSandbox: true');
});

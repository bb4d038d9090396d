import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPolicy, decide, type PolicyCall, type Rule, type Verdict } from '../../runner/policy.ts';
import { simpleCommand } from '../../runner/simple-command.ts';

const guarded = (...rules: Rule[]) => checkPolicy({ permissions: 'guarded', rules });
const bash = (command: string): PolicyCall => ({ tool: 'Bash', command });
const edit = (...paths: string[]): PolicyCall => ({ tool: 'Edit', paths, cwd: '/srv/repo' });

describe('what a policy decides', () => {
  it('asks about everything under approval and about nothing under autonomous', () => {
    expect(decide({ permissions: 'approval' }, bash('ls'))).toBe('ask');
    expect(decide({ permissions: 'autonomous' }, bash('rm -rf /'))).toBe('allow');
  });

  it('lets the first rule that holds decide, and a person where none holds', () => {
    const policy = guarded(
      { verdict: 'deny', tool: 'WebFetch' },
      { verdict: 'allow', tool: 'Web*' },
      { verdict: 'ask', tool: 'mcp__github__merge' },
      { verdict: 'allow', tool: 'mcp__github__*' },
    );
    const of = (tool: string) => decide(policy, { tool, paths: [] });
    expect(['WebFetch', 'WebSearch', 'mcp__github__merge', 'mcp__github__list', 'Web', 'xWeb'].map(of)).toEqual([
      'deny',
      'allow',
      'ask',
      'allow',
      'allow',
      'ask',
    ]);
  });

  it.each<[Verdict, string, string]>([
    ['allow', 'npm test', 'npm test'],
    ['allow', 'npm test', '  npm\ttest '],
    ['allow', 'npm test', `'npm' "test"`],
    ['allow', 'npm test', "bash -lc 'npm test'"],
    ['allow', 'npm test', "/bin/bash -c 'npm test'"],
    ['ask', 'npm test', 'npm test x'],
    ['ask', 'npm test', 'npm tests'],
    ['ask', 'npm test', './npm test'],
    ['ask', 'npm test', "bash -lc 'npm test; id'"],
    ['ask', 'npm test', "/tmp/bash -c 'npm test'"],
    ['ask', 'npm test', "bash -c 'npm test' x"],
    ['allow', 'npm run *', 'npm run build:web'],
    ['ask', 'npm run *', 'npm run'],
    ['ask', 'npm run *', 'npm run --script-shell=/tmp/x'],
    ['allow', 'git log **', 'git log'],
    ['allow', 'git log **', 'git log main..topic'],
    ['allow', 'git log **', 'git log -p --stat'],
    ['ask', 'git log *', 'git log --output=/etc/passwd'],
    ['allow', 'git log ** --oneline', 'git log main --oneline'],
    ['allow', 'cat /srv/*', 'cat /srv/a.txt'],
    ['ask', 'cat /srv/*', 'cat /srv/../etc/passwd'],
    ['ask', 'cat **', 'cat ../../etc/passwd'],
    ['allow', 'make -C .. all', 'make -C .. all'],
    ['allow', 'echo *', "echo 'a; b && $c'"],
  ])('%s: the rule that allows `%s` with the command %s', (verdict, command, given) => {
    expect(decide(guarded({ verdict: 'allow', command }), bash(given))).toBe(verdict);
  });

  it.each<[Verdict, string, string]>([
    ['deny', 'rm **', 'rm -rf build'],
    ['deny', 'rm **', '/bin/rm -rf build'],
    ['deny', 'rm **', 'sudo rm -rf build'],
    ['deny', 'rm **', "sh -c 'rm -rf build'"],
    ['ask', 'rm **', 'ls; rm -rf build'],
    ['ask', 'rm **', 'echo "$(rm -rf build)"'],
    ['ask', 'rm **', "sudo sh -c 'rm -rf build'"],
    ['allow', 'rm **', 'ls -l'],
    ['allow', 'rm **', 'npm test'],
  ])('%s: the rule that denies `%s` before one that allows Bash, with the command %s', (verdict, command, given) => {
    const policy = guarded({ verdict: 'deny', command }, { verdict: 'allow', tool: 'Bash' });
    expect(decide(policy, bash(given))).toBe(verdict);
  });

  it.each<[Verdict, string[]]>([
    ['allow', ['/srv/repo/a.ts']],
    ['allow', ['/srv/repo']],
    ['allow', ['src/a.ts', '/srv/repo/b/../c.ts']],
    ['ask', ['/srv/repo/a.ts', '/etc/passwd']],
    ['ask', ['/srv/repo/../other/a.ts']],
    ['ask', ['../other/a.ts']],
    ['ask', ['/srv/repository/a.ts']],
    ['ask', ['~/srv/repo/a.ts']],
    ['ask', ['/srv/repo/a\0.ts']],
    ['ask', ['']],
    ['ask', []],
  ])('%s: the rule that allows /srv/repo/** with the paths %j', (verdict, paths) => {
    expect(decide(guarded({ verdict: 'allow', path: '/srv/repo/**' }), edit(...paths))).toBe(verdict);
  });

  it('matches names of a path one by one', () => {
    const policy = guarded({ verdict: 'deny', path: '/**/.env*' }, { verdict: 'allow', path: '/srv/*/src/**' });
    expect(decide(policy, edit('/srv/a/src/.env.local'))).toBe('deny');
    expect(decide(policy, edit('/srv/a/src/ok.ts', '/srv/a/.env'))).toBe('deny');
    expect(decide(policy, edit('/srv/a/src/x/y.ts'))).toBe('allow');
    expect(decide(policy, edit('/srv/a/b/src/y.ts'))).toBe('ask');
  });

  it('lets no later rule allow what a rule that denies might hold for', () => {
    const policy = guarded({ verdict: 'deny', path: '/etc/**' }, { verdict: 'allow', tool: '*' });
    expect(decide(policy, bash('cat /etc/passwd'))).toBe('ask');
    expect(decide(policy, { tool: 'mcp__files__read' })).toBe('ask');
    expect(decide(policy, { tool: 'Edit', paths: ['passwd'] })).toBe('ask');
    expect(decide(policy, edit('/etc/passwd'))).toBe('deny');
    expect(decide(policy, edit('/srv/a'))).toBe('allow');
  });

  it('holds a rule only where all that it names is true', () => {
    const policy = guarded({ verdict: 'allow', tool: 'Bash', command: 'ls' });
    expect(decide(policy, { tool: 'PowerShell', command: 'ls' })).toBe('ask');
    expect(decide(policy, { tool: 'Bash' })).toBe('ask');
    expect(decide(policy, bash('ls'))).toBe('allow');
  });
});

describe('what no command gets past', () => {
  const SHELL_TRICKS = [
    ';',
    '&',
    '&&',
    '|',
    '||',
    '\n',
    '\r',
    '$x',
    '$(id)',
    '`id`',
    '>',
    '<',
    '>>f',
    '<<x',
    '*',
    '?',
    '[a]',
    '{a,b}',
    '~',
    '\\',
    '#',
    '(',
    ')',
    '!',
    '^',
    '"$x"',
    '"`id`"',
    '"\\x"',
    "'",
    '"',
    '\u00a0',
    '\u2028',
    '\0',
  ];
  const words = fc.array(fc.constantFrom('npm', 'test', 'a.ts', '-x', '--y=z', 'k:v'), { minLength: 1, maxLength: 5 });
  const allowAll = guarded({ verdict: 'allow', command: '** -x' }, { verdict: 'allow', command: '**' });

  it('asks, whatever a rule allows, as soon as a trick of the shell is anywhere in it', () => {
    fc.assert(
      fc.property(words, fc.constantFrom(...SHELL_TRICKS), fc.nat(40), (words, trick, at) => {
        const plain = words.join(' ');
        const tricked = plain.slice(0, at) + trick + plain.slice(at);
        expect(decide(allowAll, bash(tricked))).toBe('ask');
      }),
    );
  });

  it('asks about a variable set before the command', () => {
    expect(decide(allowAll, bash('PATH=/tmp npm test'))).toBe('ask');
    expect(decide(allowAll, bash('npm test =ls'))).toBe('ask');
    expect(decide(allowAll, bash('"A=1" npm'))).toBe('ask');
    expect(decide(allowAll, bash(''))).toBe('ask');
  });

  it.each(['sh', 'bash'])('takes for the words of a command what %s takes for them', (shell) => {
    const characters = fc.string({ unit: fc.constantFrom(...'ab -\'"=./:\t$*~\\#!%;é\u00a0'), maxLength: 12 });
    const folder = mkdtempSync(path.join(tmpdir(), 'policy-'));
    const accepted = fc.sample(characters, 20_000).filter((command) => simpleCommand(command) !== undefined);
    const script = accepted.map((command) => `printf '%s\\0' ${command}\nprintf '\\n'`).join('\n');
    const { stdout } = spawnSync(shell, ['-c', script], { cwd: folder, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(accepted.length).toBeGreaterThan(100);
    const split = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\0').slice(0, -1));
    expect(split).toEqual(accepted.map(simpleCommand));
  });

  it('allows no path outside of the folder, however it is written', () => {
    const names = fc.array(fc.constantFrom('.', '..', 'repo', 'srv', 'a', '', 'etc'), { maxLength: 8 });
    const policy = guarded({ verdict: 'allow', path: '/srv/repo/**' });
    fc.assert(
      fc.property(names, fc.boolean(), (names, isRelative) => {
        const given = (isRelative ? '' : '/') + names.join('/');
        const real = new URL(`file://${given.startsWith('/') ? '' : '/srv/repo/'}${given.replaceAll(/\/+/g, '/')}`);
        const isInside = /^\/srv\/repo(\/|$)/.test(real.pathname.replaceAll(/\/+/g, '/'));
        if (decide(policy, edit(given)) === 'allow') expect(isInside).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes no longer for a command made to take long', () => {
    const policy = guarded({ verdict: 'allow', command: 'a*a*a*a*a*b ** c ** d' });
    const began = performance.now();
    decide(policy, bash(`${'a'.repeat(20_000)} ${'c '.repeat(20_000)}`));
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe('a policy from a file', () => {
  it.each([
    [{ permissions: 'guarded', rules: [{ verdict: 'allow' }] }, 'rules[0]'],
    [{ permissions: 'guarded', rules: [{ verdict: 'allow', tool: 'Bash', comand: 'ls' }] }, 'rules[0]'],
    [{ permissions: 'guarded', rules: [{ verdict: 'yes', tool: 'Bash' }] }, 'rules[0].verdict'],
    [{ permissions: 'guarded', rules: [{ verdict: 'allow', command: 'ls; id' }] }, 'rules[0].command'],
    [{ permissions: 'guarded', rules: [{ verdict: 'allow', command: '' }] }, 'rules[0].command'],
    [{ permissions: 'guarded', rules: [{ verdict: 'allow', path: 'src/**' }] }, 'rules[0].path'],
    [{ permissions: 'guarded', rules: [{ verdict: 'allow', path: '/srv/../**' }] }, 'rules[0].path'],
    [{ permissions: 'guarded' }, 'rules'],
    [{ permissions: 'approval', rules: [] }, 'policy'],
    [{ permissions: 'all' }, 'permissions'],
    ['approval', 'policy'],
  ])('is refused where it would not do what it seems to say: %j', (policy, where) => {
    expect(() => checkPolicy(policy)).toThrow(`The policy cannot be used. ${where}: `);
  });
});

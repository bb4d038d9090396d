import path from 'node:path';
import * as z from 'zod';
import { issuesOf } from '#core/issues.ts';
import { simpleCommand } from './simple-command.ts';
import { matches, matchesText } from './wildcard.ts';

/** Only `ask` raises a prompt. */
export type Verdict = 'allow' | 'deny' | 'ask';
/**
 * A rule holds for calls of which all that it names is true.
 * - `tool`: the tool's name; `*` stands for any characters (`mcp__github__*`).
 * - `command`: the words of a command; `*` stands for any characters within a word, and the word `**` for any number of
 *   words (`npm run *`, `git log **`). Where a rule allows, `*` stands for no option (`-x`), and neither for a way up
 *   (`../x`).
 * - `path`: an absolute path; `*` stands for any characters within a name, and `**` for any number of names
 *   (`/srv/repo/**`, which is the folder itself too).
 */
export type Rule = { verdict: Verdict; tool?: string; command?: string; path?: string };
export type Policy =
  /** A person decides each sensitive action. */
  | { permissions: 'approval' }
  /** Nobody is asked. */
  | { permissions: 'autonomous' }
  /** The first rule that holds decides; without one a person does. */
  | { permissions: 'guarded'; rules: Rule[] };

/** A call of a tool, as far as its harness tells. */
export type PolicyCall = {
  tool: string;
  /** A command line for a POSIX shell. */
  command?: string;
  /**
   * All paths that the call reads or writes. Missing where nobody can say, as with a command; empty where there are none.
   * Nothing here looks at the disk: resolve symbolic links before, or a link leads out of an allowed folder; and on a
   * disk to which `A` and `a` are one name, write such paths in one way.
   */
  paths?: string[];
  /** Absolute; where relative paths begin. */
  cwd?: string;
};

export class PolicyError extends Error {
  override name = 'PolicyError';
}

const isAbsolute = (pattern: string) => pattern.startsWith('/') && path.posix.normalize(pattern) === pattern;
const isCommand = (pattern: string) => {
  const words = simpleCommand(pattern.replaceAll('*', 'x'));
  return words !== undefined && words.join(' ') === pattern.replaceAll('*', 'x');
};
const ruleSchema = z
  .strictObject({
    verdict: z.enum(['allow', 'deny', 'ask']),
    tool: z.string().min(1).optional(),
    command: z.string().refine(isCommand, 'This must be plain words with one space between them.').optional(),
    path: z.string().refine(isAbsolute, 'This must be an absolute path without . and .. in it.').optional(),
  })
  .refine((rule) => Object.keys(rule).length > 1, 'A rule must name a tool, a command or a path.');
const policySchema = z.discriminatedUnion('permissions', [
  z.strictObject({ permissions: z.literal('approval') }),
  z.strictObject({ permissions: z.literal('autonomous') }),
  z.strictObject({ permissions: z.literal('guarded'), rules: z.array(ruleSchema) }),
]);

/** A policy from a file. A field that is not known is refused: a rule with a slip of the pen would hold for more. @throws PolicyError */
export function checkPolicy(value: unknown): Policy {
  const [issue] = issuesOf(policySchema, value);
  if (issue) throw new PolicyError(`The policy cannot be used. ${issue.path || 'policy'}: ${issue.message}`);
  return value as Policy;
}

/**
 * What happens with a call. A rule that allows holds only where it surely does. One that denies or asks may leave a
 * doubt, as a path's rule does with a command: then no later rule allows, and a person decides.
 *
 * A rule that denies is a quick no to what goes by its plain name. A command may do the same in a thousand other ways
 * (a script, an interpreter): what must never happen is kept out by not allowing what could do it.
 */
export function decide(policy: Policy, call: PolicyCall): Verdict {
  if (policy.permissions === 'approval') return 'ask';
  if (policy.permissions === 'autonomous') return 'allow';
  let isDoubtful = false;
  for (const rule of policy.rules) {
    const holds = holdsFor(rule, call);
    if (holds === 'yes') return rule.verdict === 'allow' && isDoubtful ? 'ask' : rule.verdict;
    if (holds === 'perhaps' && rule.verdict !== 'allow') isDoubtful = true;
  }
  return 'ask';
}

const WAY_UP = /(^|[/=:,])\.\.([/=:,]|$)/;

type Holds = 'yes' | 'no' | 'perhaps';

function holdsFor({ verdict, tool, command, path: place }: Rule, call: PolicyCall): Holds {
  const isAllowing = verdict === 'allow';
  const parts: Holds[] = [
    tool === undefined || matchesText(tool, call.tool) ? 'yes' : 'no',
    command === undefined ? 'yes' : commandHolds(command, call, isAllowing),
    place === undefined ? 'yes' : pathHolds(place, call, isAllowing),
  ];
  if (parts.includes('no')) return 'no';
  return parts.includes('perhaps') ? 'perhaps' : 'yes';
}

function commandHolds(pattern: string, call: PolicyCall, isAllowing: boolean): Holds {
  if (call.command === undefined) return 'no';
  const words = commandWords(call.command);
  if (!words) return 'perhaps';
  const expected = pattern.split(' ');
  if (isAllowing) return surelyMatch(expected, words) ? 'yes' : 'no';
  // `sudo rm`, `env A=1 rm` and `/bin/rm` are meant by a rule against `rm`; what stands in quotes may be a command too.
  const named = words.map((_, at) => [path.posix.basename(words[at] ?? ''), ...words.slice(at + 1)]);
  if (named.some((rest) => wordsMatch(expected, rest)) || wordsMatch(expected, words)) return 'yes';
  return words.every((word) => /^[A-Za-z0-9_@%+=:,./-]*$/.test(word)) ? 'no' : 'perhaps';
}

/** `bash -lc 'npm test'`, as Codex says it, is `npm test`. */
function commandWords(command: string): string[] | undefined {
  const words = simpleCommand(command);
  if (words?.length !== 3) return words;
  const [shell = '', flag = '', script = ''] = words;
  const isShell = /^(\/(usr\/)?bin\/)?(ba|z)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell ? simpleCommand(script) : words;
}

function wordsMatch(expected: string[], words: string[]): boolean {
  return matches(expected, words, '**', matchesText);
}

function surelyMatch(expected: string[], words: string[]): boolean {
  if (words.some((word) => WAY_UP.test(word))) return words.join(' ') === expected.join(' ');
  const isSame = (expected: string, word: string) =>
    matchesText(expected, word) && (expected.startsWith('-') || !word.startsWith('-'));
  return matches(expected, words, '**', isSame);
}

function pathHolds(pattern: string, { paths, cwd }: PolicyCall, isAllowing: boolean): Holds {
  if (!paths) return 'perhaps';
  if (paths.length === 0) return 'no';
  const expected = namesIn(pattern);
  const each = paths.map((given): Holds => {
    const place = absolute(given, cwd);
    if (place === undefined) return 'perhaps';
    return matches(expected, namesIn(place), '**', matchesText) ? 'yes' : 'no';
  });
  // To be allowed, all paths must be; to be denied, one is enough.
  const order: Holds[] = isAllowing ? ['no', 'perhaps', 'yes'] : ['yes', 'perhaps', 'no'];
  return order.find((holds) => each.includes(holds)) ?? 'no';
}

/** Without `.` and `..`; nothing where it cannot be said where it lies: a tilde, a control character, a backslash. */
function absolute(given: string, cwd: string | undefined): string | undefined {
  if (given === '' || given.startsWith('~') || /[\\\p{Cc}]/u.test(given)) return undefined;
  if (given.startsWith('/')) return path.posix.normalize(given);
  return cwd?.startsWith('/') ? path.posix.normalize(`${cwd}/${given}`) : undefined;
}

function namesIn(place: string): string[] {
  return place.split('/').filter((name) => name !== '');
}

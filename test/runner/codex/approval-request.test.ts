import { describe, expect, it } from 'vitest';
import { type Change, readApproval } from '../../../runner/codex/approval-request.ts';
import type { RpcRequest } from '../../../runner/codex/json-rpc.ts';
import { UnreadableRequest } from '../../../runner/codex/read-request.ts';
import { changed, requestOf, requestsOf } from './frames.ts';

const NOTES: Change = { path: '/srv/notes.md', kind: { type: 'add' }, diff: 'a line\n' };
const read = (request: RpcRequest, changes: Change[] | undefined = [NOTES]) => readApproval(request, () => changes);
const textOf = (request: RpcRequest, changes?: Change[]) => read(request, changes).question.question;
const command = (params: Record<string, unknown>) => changed('command_approved', params);
const permissions = (permissions: unknown) => changed('permissions', { permissions });

describe('the question', () => {
  it('of a command shows it, where it would run, and why', () => {
    expect(textOf(requestOf('command_escalated'))).toBe(
      "Codex wants to run a command\n\n    /bin/bash -lc 'touch made'\n\nIn: /work\n\nReason: It is needed.",
    );
  });

  it('of a long command shows all of it', () => {
    const long = `echo '${'line\n'.repeat(5000)}end'`;
    expect(textOf(command({ command: long })).split('\n    ')).toHaveLength(5002);
  });

  it.each([
    [{ kind: 'writeStdin' }, 'Codex wants to type into a running command'],
    [{ kind: 'humanCommand' }, 'Codex wants to run a command in the name of a person'],
    [{ networkApprovalContext: { host: 'a.example', protocol: 'https' } }, 'Codex wants to reach a.example over https'],
    [{ environmentId: 'staging' }, 'Environment: staging'],
    [{ additionalPermissions: { network: { enabled: true }, fileSystem: null } }, '    use the network'],
    [
      { additionalPermissions: { network: null, fileSystem: { read: ['/etc'], write: null } } },
      'It also asks for:\n    read /etc',
    ],
  ])('of a command tells of %j', (params, told) => {
    expect(textOf(command(params))).toContain(told);
  });

  it('of a change of files shows every path and all of every diff', () => {
    const moved: Change = {
      path: '/srv/a',
      kind: { type: 'update', move_path: '/srv/b' },
      diff: '@@ -1 +1 @@\n-x\n+y',
    };
    expect(textOf(requestOf('file_change'), [NOTES, moved])).toBe(
      'Codex wants to change files\n\nadd /srv/notes.md\n\n    a line\n    \n\nupdate /srv/a to /srv/b\n\n    @@ -1 +1 @@\n    -x\n    +y',
    );
  });

  it('of a change of files tells of a whole folder that it asks for beside them', () => {
    expect(textOf(changed('file_change', { grantRoot: '/srv' }))).toContain(
      'It also asks to write anything in /srv until its session ends',
    );
  });

  it('of permissions lists each once', () => {
    expect(textOf(requestOf('permissions'))).toBe(
      'Codex asks for permissions until the end of its turn\n\n    use the network\n    write /var/reports\n\nIn: /work\n\nReason: to write the report',
    );
  });

  it('of permissions tells patterns and places by name', () => {
    const entries = [
      { access: 'read', path: { type: 'glob_pattern', pattern: '/srv/**/*.log' } },
      { access: 'write', path: { type: 'special', value: { kind: 'tmpdir' } } },
    ];
    const text = textOf(permissions({ network: null, fileSystem: { read: null, write: null, entries } }));
    expect(text).toContain('    read /srv/**/*.log\n    write {"kind":"tmpdir"}');
  });

  it("of an MCP server's tool shows what it is given", () => {
    expect(textOf(requestOf('mcp_tool'))).toBe(
      'Allow the files MCP server to run tool "make_file"?\n\n    file: /dev/null\n\nMakes an empty file.',
    );
  });

  it('offers to approve and to deny', () => {
    for (const scene of ['command_approved', 'file_change', 'permissions', 'mcp_tool'] as const) {
      expect(read(requestOf(scene)).question.options).toEqual([{ label: 'Approve' }, { label: 'Deny' }]);
    }
  });
});

describe('what cannot be shown, or not whole, cannot be approved', () => {
  it.each<[string, RpcRequest, Change[]?]>([
    ['a command that is not told', command({ command: null })],
    ['a kind of command that nobody knows', command({ kind: 'remote' })],
    ['no parameters', { ...requestOf('command_approved'), params: undefined }],
    ['more permissions of an unknown sort', command({ additionalPermissions: { network: null, gpu: true } })],
    ['permissions of an unknown sort', permissions({ network: null, fileSystem: null, camera: { enabled: true } })],
    ['a network permission of an unknown sort', permissions({ network: { enabled: true, hosts: ['*'] } })],
    ['changes that were never told', requestOf('file_change'), []],
    ["a form that is no tool's", changed('mcp_tool', { _meta: null })],
    ['a form outside a turn', changed('mcp_tool', { turnId: null })],
  ])('%s', (_what, request, changes) => {
    expect(() => read(request, changes)).toThrow(UnreadableRequest);
  });
});

describe('the name of a request', () => {
  it('is the same when it is sent again', () => {
    const again = command({ startedAtMs: 1 });
    expect(read(again).request_id).toBe(read(requestOf('command_approved')).request_id);
  });

  it.each<[string, RpcRequest]>([
    ['number, as of a second try without the sandbox', { ...requestOf('command_approved'), id: 7 }],
    ['turn', command({ turnId: 'another' })],
    ['thread', command({ threadId: 'another' })],
    ['item', command({ itemId: 'another' })],
    ['callback', command({ approvalId: 'another' })],
  ])('is another for another %s', (_what, request) => {
    expect(read(request).request_id).not.toBe(read(requestOf('command_approved')).request_id);
  });

  it('differs between two calls of one message', () => {
    const names = requestsOf('two_commands').map((request) => read(request).request_id);
    expect(new Set(names).size).toBe(2);
  });
});

describe('the name of what would be done', () => {
  const call = (request: RpcRequest, changes?: Change[]) => read(request, changes).call;

  it('is the same in another turn, whatever the reason', () => {
    const again = command({ turnId: 'another', itemId: 'another', reason: 'again' });
    expect(call({ ...again, id: 9 })).toBe(call(requestOf('command_approved')));
  });

  it.each<[string, RpcRequest, RpcRequest]>([
    ['command', requestOf('command_approved'), command({ command: 'touch made2' })],
    ['folder', requestOf('command_approved'), command({ cwd: '/' })],
    ['kind', requestOf('command_approved'), command({ kind: 'writeStdin' })],
    ['set of permissions', requestOf('command_approved'), command({ additionalPermissions: { network: null } })],
    ['host', requestOf('command_approved'), command({ networkApprovalContext: { host: 'a', protocol: 'https' } })],
    ['environment', requestOf('command_approved'), command({ environmentId: 'another' })],
    ['folder to write in', requestOf('file_change'), changed('file_change', { grantRoot: '/' })],
    ['permission', requestOf('permissions'), permissions({ network: { enabled: true }, fileSystem: null })],
    ['server', requestOf('mcp_tool'), changed('mcp_tool', { serverName: 'another' })],
  ])('is another for another %s', (_what, one, other) => {
    expect(call(one)).not.toBe(call(other));
  });

  it('is another for another diff', () => {
    const request = requestOf('file_change');
    expect(call(request)).not.toBe(call(request, [{ ...NOTES, diff: 'another line\n' }]));
  });
});

it.each<[string, RpcRequest, object[]]>([
  [
    'a command',
    requestOf('command_approved'),
    [{ tool: 'exec_command', command: "/bin/bash -lc 'touch made'", cwd: '/work' }],
  ],
  ['a change of files', requestOf('file_change'), [{ tool: 'apply_patch', paths: ['/srv/notes.md'] }]],
  ['permissions', requestOf('permissions'), [{ tool: 'request_permissions', cwd: '/work' }]],
  ["a server's tool", requestOf('mcp_tool'), [{ tool: 'mcp__files__make_file' }]],
])('a policy is shown %s', (_what, request, calls) => {
  expect(read(request).calls).toEqual(calls);
});

it.each<[string, RpcRequest, string[]]>([
  [
    'the network',
    command({ networkApprovalContext: { host: 'a', protocol: 'https' } }),
    ['exec_command', 'network_access'],
  ],
  ['permissions', command({ additionalPermissions: { network: null } }), ['exec_command', 'request_permissions']],
  ['a folder', changed('file_change', { grantRoot: '/' }), ['apply_patch', 'request_permissions']],
])('a policy is shown %s beside a call as a call of its own', (_what, request, tools) => {
  expect(read(request).calls.map(({ tool }) => tool)).toEqual(tools);
});

it('a policy is shown both paths of a file that is moved', () => {
  const moved: Change = { path: '/srv/a', kind: { type: 'update', move_path: '/etc/b' }, diff: '' };
  expect(read(requestOf('file_change'), [moved]).calls).toEqual([{ tool: 'apply_patch', paths: ['/srv/a', '/etc/b'] }]);
});

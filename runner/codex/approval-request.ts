import * as z from 'zod';
import type { Question } from '#core/prompt.ts';
import { fingerprint } from '../fingerprint.ts';
import type { PolicyCall } from '../policy.ts';
import { indented, shownField } from '../shown-field.ts';
import type { RpcReply, RpcRequest } from './json-rpc.ts';
import { inTurn as inTurnSchema, read, requestName, type Turn, turn, UnreadableRequest } from './read-request.ts';

/** One of Codex's four ways to ask for leave, read and ready to be asked about and answered. */
export type ApprovalRequest = {
  turn: Turn;
  request_id: string;
  question: Question;
  /** Which of its calls is meant, for the model, which reads what a person said in a message of its own. */
  about: string;
  /** What would be done, as a name. */
  call: string;
  /** All that is asked for: what a policy allows only in parts is not allowed. */
  calls: PolicyCall[];
  /** This once: never for the session, never by a change of the rules. */
  accept: RpcReply;
  /** Reads as a person's refusal. */
  decline: RpcReply;
  /** Reads as no decision; for a tool of an MCP server there is no such reply, and it reads as a refusal. */
  undecided: RpcReply;
};

export const change = z.looseObject({
  path: z.string(),
  kind: z.looseObject({ type: z.string(), move_path: z.string().nullish() }),
  diff: z.string(),
});
export type Change = z.infer<typeof change>;
type Read = (request: RpcRequest, changes: (itemId: string) => Change[] | undefined) => ApprovalRequest;

const UNDECIDED = -32_000;
const inTurn = inTurnSchema.extend({ reason: z.string().nullish() });
/** Strict, because what is granted is all of it: a field that is not shown must not be granted. */
const permissionsSchema = z.strictObject({
  network: z.strictObject({ enabled: z.boolean().nullish() }).nullish(),
  fileSystem: z
    .strictObject({
      read: z.array(z.string()).nullish(),
      write: z.array(z.string()).nullish(),
      globScanMaxDepth: z.number().nullish(),
      entries: z
        .array(
          z.strictObject({
            access: z.string(),
            path: z.discriminatedUnion('type', [
              z.strictObject({ type: z.literal('path'), path: z.string() }),
              z.strictObject({ type: z.literal('glob_pattern'), pattern: z.string() }),
              z.strictObject({ type: z.literal('special'), value: z.looseObject({ kind: z.string() }) }),
            ]),
          }),
        )
        .nullish(),
    })
    .nullish(),
});
type Permissions = z.infer<typeof permissionsSchema>;
const commandSchema = inTurn.extend({
  kind: z.enum(['command', 'humanCommand', 'writeStdin']),
  approvalId: z.string().nullish(),
  environmentId: z.string().nullish(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  networkApprovalContext: z.strictObject({ host: z.string(), protocol: z.string() }).nullish(),
  additionalPermissions: permissionsSchema.nullish(),
});
const fileChangeSchema = inTurn.extend({ grantRoot: z.string().nullish() });
const permissionsRequestSchema = inTurn.extend({ cwd: z.string(), permissions: permissionsSchema });
const elicitationSchema = turn.extend({
  serverName: z.string(),
  message: z.string(),
  _meta: z.looseObject({
    codex_approval_kind: z.literal('mcp_tool_call'),
    tool_name: z.string().optional(),
    tool_description: z.string().optional(),
    tool_params: z.record(z.string(), z.unknown()).optional(),
  }),
});

const READERS: Record<string, Read> = {
  'item/commandExecution/requestApproval': readCommand,
  'item/fileChange/requestApproval': readFileChange,
  'item/permissions/requestApproval': readPermissions,
  'mcpServer/elicitation/request': readElicitation,
};

export function isApprovalRequest({ method }: RpcRequest): boolean {
  return Object.hasOwn(READERS, method);
}

/**
 * @param changes what an item of this turn wants to change, as its `item/started` told
 * @throws UnreadableRequest
 */
export function readApproval(request: RpcRequest, changes: (itemId: string) => Change[] | undefined): ApprovalRequest {
  const read = READERS[request.method];
  if (!read) throw new UnreadableRequest(`${request.method} asks for no approval`);
  return read(request, changes);
}

/** Of a request for a tool of an MCP server nothing else may be answered, or the model reads the same. */
export function undecidedReply({ method }: RpcRequest): RpcReply {
  if (method === 'mcpServer/elicitation/request') return elicited('decline');
  return { error: { code: UNDECIDED, message: 'no decision was made' } };
}

function readCommand(request: RpcRequest): ApprovalRequest {
  const params = read(commandSchema, request);
  const { kind, command, cwd, environmentId, networkApprovalContext: network, additionalPermissions: more } = params;
  if (!command && !network) throw new UnreadableRequest('the request does not say what would be done');
  const calls: PolicyCall[] = [
    { tool: COMMAND_TOOLS[kind], ...(command && { command }), ...(cwd && { cwd }) },
    ...(network ? [{ tool: 'network_access' }] : []),
    ...(more ? [{ tool: 'request_permissions' }] : []),
  ];
  const head = network ? `Codex wants to reach ${network.host} over ${network.protocol}` : COMMAND_HEADS[kind];
  return approval(request, params, {
    parts: [
      head,
      command && indented(command),
      cwd && shownField('In', cwd),
      environmentId && environmentId !== 'local' && shownField('Environment', environmentId),
      more && `It also asks for:\n${shownPermissions(more)}`,
    ],
    about: command ?? head,
    does: [kind, command, cwd, environmentId, network, more],
    calls,
    ...decisions,
  });
}

const COMMAND_HEADS = {
  command: 'Codex wants to run a command',
  humanCommand: 'Codex wants to run a command in the name of a person',
  writeStdin: 'Codex wants to type into a running command',
};
const COMMAND_TOOLS = { command: 'exec_command', humanCommand: 'human_command', writeStdin: 'write_stdin' };

function readFileChange(request: RpcRequest, changesOf: (itemId: string) => Change[] | undefined): ApprovalRequest {
  const params = read(fileChangeSchema, request);
  const { itemId, grantRoot } = params;
  const changes = changesOf(itemId);
  if (!changes?.length) throw new UnreadableRequest('the changes to the files are not known');
  const paths = changes.flatMap(({ path, kind }) => (kind.move_path ? [path, kind.move_path] : [path]));
  return approval(request, params, {
    parts: [
      'Codex wants to change files',
      ...changes.map(shownChange),
      grantRoot && `It also asks to write anything in ${grantRoot} until its session ends`,
    ],
    about: `the change of ${paths.join(', ')}`,
    does: [changes, grantRoot],
    calls: [{ tool: 'apply_patch', paths }, ...(grantRoot ? [{ tool: 'request_permissions' }] : [])],
    ...decisions,
  });
}

function shownChange({ path, kind, diff }: Change): string {
  const moved = kind.move_path ? ` to ${kind.move_path}` : '';
  return [`${kind.type} ${path}${moved}`, indented(diff)].filter((part) => part !== '').join('\n\n');
}

function readPermissions(request: RpcRequest): ApprovalRequest {
  const params = read(permissionsRequestSchema, request);
  const { permissions, cwd } = params;
  const granted = Object.fromEntries(Object.entries(permissions).filter(([, value]) => value !== null));
  return approval(request, params, {
    parts: [
      'Codex asks for permissions until the end of its turn',
      shownPermissions(permissions),
      shownField('In', cwd),
    ],
    about: `the permissions:\n${shownPermissions(permissions)}`,
    does: [permissions, cwd],
    calls: [{ tool: 'request_permissions', cwd }],
    accept: { result: { permissions: granted, scope: 'turn' } },
    decline: { result: { permissions: {}, scope: 'turn' } },
  });
}

function shownPermissions({ network, fileSystem }: Permissions): string {
  const lines = [
    ...(network?.enabled ? ['use the network'] : []),
    ...(fileSystem?.read ?? []).map((path) => `read ${path}`),
    ...(fileSystem?.write ?? []).map((path) => `write ${path}`),
    ...(fileSystem?.entries ?? []).map(({ access, path }) => `${access} ${shownPath(path)}`),
  ];
  // Codex tells the same paths twice, in its old form and in its new one.
  return indented([...new Set(lines)].join('\n') || 'nothing');
}

type FileSystem = NonNullable<Permissions['fileSystem']>;
function shownPath(path: NonNullable<FileSystem['entries']>[number]['path']): string {
  if (path.type === 'path') return path.path;
  return path.type === 'glob_pattern' ? path.pattern : JSON.stringify(path.value);
}

function readElicitation(request: RpcRequest): ApprovalRequest {
  const params = read(elicitationSchema, request);
  const { serverName, message, _meta } = params;
  const { tool_name, tool_description, tool_params = {} } = _meta;
  const shown = Object.entries(tool_params).map(([name, value]) => shownField(name, value));
  const tool = `mcp__${serverName}__${tool_name ?? '*'}`;
  return approval(
    request,
    { ...params, itemId: tool },
    {
      parts: [message, indented(shown.join('\n')), tool_description],
      about: `the call of ${tool_name ?? 'a tool'} of ${serverName}`,
      does: [serverName, message, tool_name, tool_params],
      calls: [{ tool }],
      accept: elicited('accept'),
      decline: elicited('decline'),
    },
  );
}

function elicited(action: 'accept' | 'decline'): RpcReply {
  return { result: { action, content: action === 'accept' ? {} : null, _meta: null } };
}

const decisions = { accept: { result: { decision: 'accept' } }, decline: { result: { decision: 'decline' } } };
type Told = Pick<ApprovalRequest, 'about' | 'calls' | 'accept' | 'decline'> & {
  parts: (string | false | null | undefined)[];
  does: unknown[];
};

function approval(
  request: RpcRequest,
  { threadId, turnId, itemId, approvalId, reason }: z.infer<typeof inTurn> & { approvalId?: string | null | undefined },
  { parts, does, ...told }: Told,
): ApprovalRequest {
  const shown = [...parts, reason && shownField('Reason', reason)].filter(Boolean);
  return {
    ...told,
    turn: { threadId, turnId },
    request_id: requestName(request, { threadId, turnId }, itemId, approvalId ?? ''),
    question: { question: shown.join('\n\n'), options: [{ label: 'Approve' }, { label: 'Deny' }] },
    call: fingerprint(request.method, ...does.map((part) => part ?? null)),
    undecided: undecidedReply(request),
  };
}

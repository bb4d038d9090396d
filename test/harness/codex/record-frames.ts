import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from '../../../runner/ask.ts';
import { AppServer } from '../../../runner/codex/app-server.ts';
import { CodexAdapter } from '../../../runner/codex/codex-adapter.ts';
import { JsonRpc, type RpcNotification, type Wire } from '../../../runner/codex/json-rpc.ts';
import { answered } from '../../runner/outcomes.ts';
import { addFile, exec, firstThen, inCodexWorkshop, type Script } from './codex-workshop.ts';
import { MCP, makeFile, PERMISSIONS, permissions, QUESTIONS, questions } from './scripts.ts';

/**
 * Records what the real Codex and the adapter tell each other, for the unit tests: `node test/harness/codex/record-frames.ts`
 * after every change of the pinned Codex, and look at what git says has changed.
 */
type Frame = { from: 'codex' | 'us'; message: unknown };
/** Beside these Codex tells much that nobody here looks at. */
const KEPT =
  /^(item\/started|serverRequest\/|turn\/(started|completed|steer|start)|thread\/(started|status|start)|initialize)/;

function recorded(wire: Wire, frames: Frame[]): Wire {
  const keep = (from: Frame['from'], text: string) => {
    const message = JSON.parse(text) as { id?: unknown; method?: string };
    const isNotification = message.method !== undefined && message.id === undefined;
    if (!isNotification || KEPT.test(message.method ?? '')) frames.push({ from, message });
    return text;
  };
  return {
    send: (text) => wire.send(keep('us', text)),
    close: () => wire.close(),
    messages: (async function* () {
      for await (const text of wire.messages) yield keep('codex', text);
    })(),
  };
}

async function record(script: Script, outcome: Outcome, config = '', policy: object = {}): Promise<Frame[]> {
  const frames: Frame[] = [];
  const inWorkshop = async ({ codex, socket, thread, cwd }: Parameters<Parameters<typeof inCodexWorkshop>[1]>[0]) => {
    const server = new AppServer(socket);
    const adapter = new CodexAdapter({ ask: async () => outcome });
    const ended = Promise.withResolvers<void>();
    const notified = (notification: RpcNotification) => {
      adapter.notified(notification);
      if (notification.method === 'turn/completed') ended.resolve();
    };
    const wire = recorded(await server.start(codex), frames);
    const rpc = new JsonRpc(wire, { answer: adapter.answer, notified, report: console.warn });
    const capabilities = { experimentalApi: true, requestAttestation: false };
    await rpc.call('initialize', { clientInfo: { name: 'recorder', title: null, version: '0' }, capabilities });
    rpc.notify('initialized');
    const started = await rpc.call('thread/start', { approvalPolicy: 'untrusted', ...thread, ...policy });
    const threadId = (started as { thread: { id: string } }).thread.id;
    await rpc.call('turn/start', { threadId, input: [{ type: 'text', text: 'Do it.', text_elements: [] }] });
    await ended.promise;
    server.kill();
    await rpc.closed;
    const text = JSON.stringify(frames).replaceAll(cwd, '/work').replaceAll(path.dirname(cwd), '/home/anna');
    frames.splice(0, frames.length, ...(JSON.parse(text) as Frame[]));
  };
  await inCodexWorkshop(script, inWorkshop, config);
  return frames;
}

const approved = answered([['Approve']], 'yes');
const denied = answered([['Deny']], 'not on a Friday');
const unavailable: Outcome = { state: 'unavailable', message: 'the thread host is down' };
const escalated = exec('touch made', { sandbox_permissions: 'require_escalated', justification: 'It is needed.' });
const sandboxed = { approvalPolicy: 'on-request', sandbox: 'workspace-write' };
const scenes = {
  command_approved: await record(firstThen(exec('touch made')), approved),
  command_denied: await record(firstThen(exec('touch made')), denied),
  command_unavailable: await record(firstThen(exec('touch made')), unavailable),
  command_escalated: await record(firstThen(escalated), approved, '', sandboxed),
  two_commands: await record(firstThen(exec('touch one'), exec('touch two')), approved),
  file_change: await record(firstThen(addFile('notes.md', 'a line')), approved),
  permissions: await record(permissions('/var/reports'), approved, PERMISSIONS, sandboxed),
  mcp_tool: await record(makeFile('/dev/null'), approved, MCP),
  questions: await record(questions('Where from?'), answered([['CSV import'], ['only on Mondays']]), QUESTIONS),
  questions_unavailable: await record(questions('Where from?'), unavailable, QUESTIONS),
};
const file = path.join(import.meta.dirname, '../../runner/codex/frames.json');
const lines = Object.entries(scenes).map(
  ([name, frames]) => `${JSON.stringify(name)}: [\n${frames.map((frame) => JSON.stringify(frame)).join(',\n')}\n]`,
);
writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import type { AgentMessage, AgentOptions, AgentSdk, CallDetails, ToolInput } from '../../../runner/claude/agent-sdk.ts';
import { ASK_USER } from '../../../runner/claude/ask-user-tool.ts';
import { type ClaudeRun, runClaude } from '../../../runner/claude/run-claude.ts';
import type { Block } from './fake-anthropic.ts';
import { bash, finish, inWorkshop, type Script } from './in-workshop.ts';

/**
 * Records what the real Claude Code hands to the adapter, for the unit tests: `node test/harness/claude/record-frames.ts`
 * after every change of the pinned SDK, and look at what git says has changed.
 */
type Frame = { from: 'process' | 'hook' | 'canUseTool' | 'tool' | 'message'; [field: string]: unknown };

function recording(frames: Frame[]): AgentSdk {
  return {
    createSdkMcpServer: (options) =>
      sdk.createSdkMcpServer({
        ...options,
        tools: (options.tools ?? []).map((tool) => ({
          ...tool,
          handler: (args: ToolInput, extra: unknown) => {
            frames.push({ from: 'tool', args, meta: (extra as { _meta: unknown })._meta });
            return tool.handler(args, extra);
          },
        })),
      }),
    query: ({ prompt, options = {} }) => {
      frames.push({ from: 'process', resume: options.resume });
      return messagesOf(sdk.query({ prompt, options: recorded(options, frames) }), frames);
    },
  };
}

function recorded(options: AgentOptions, frames: Frame[]): AgentOptions {
  const { canUseTool, hooks } = options;
  const [matcher] = hooks?.PreToolUse ?? [];
  const hook = matcher?.hooks[0];
  if (!canUseTool || !matcher || !hook) throw new Error('the adapter has no hook or no callback');
  return {
    ...options,
    hooks: {
      PreToolUse: [
        {
          ...matcher,
          hooks: [
            (input: never, id, rest) => {
              frames.push({ from: 'hook', input });
              return hook(input, id, rest);
            },
          ],
        },
      ],
    },
    canUseTool: (tool, input, details: CallDetails) => {
      const { signal: _signal, ...told } = details;
      frames.push({ from: 'canUseTool', tool, input, details: told });
      return canUseTool(tool, input, details);
    },
  };
}

async function* messagesOf(messages: AsyncIterable<AgentMessage>, frames: Frame[]): AsyncGenerator<AgentMessage> {
  for await (const message of messages) {
    const { type, subtype, session_id, claude_code_version, stop_reason, deferred_tool_use, message: said } = message;
    if (subtype === 'init' || type === 'result' || type === 'user') {
      const fields = { type, subtype, session_id, claude_code_version, stop_reason, deferred_tool_use, message: said };
      frames.push({ from: 'message', message: JSON.parse(JSON.stringify(fields)) });
    }
    yield message;
  }
}

async function record(script: Script, more: Partial<ClaudeRun> = {}): Promise<Frame[]> {
  const frames: Frame[] = [];
  await inWorkshop(script, async ({ cwd, env }) => {
    const ask: ClaudeRun['ask'] = async () => ({ state: 'unavailable', message: 'recording' });
    const options = { cwd, env, settingSources: [] };
    await finish(runClaude({ sdk: recording(frames), ask, prompt: 'TASK: go', options, ...more }));
    // The folders differ from run to run and say nothing.
    for (const frame of frames)
      Object.assign(
        frame,
        JSON.parse(JSON.stringify(frame).replaceAll(cwd, '/work').replaceAll(path.dirname(cwd), '/home')),
      );
  });
  return frames;
}

const once =
  (...blocks: Block[]): Script =>
  ({ task, results }) =>
    results.length || task !== 'go' ? undefined : blocks;
const use = (name: string, input: unknown): Block => ({ type: 'tool_use', name, input });
const labelled = (...labels: string[]) => labels.map((label) => ({ label, description: `the ${label}` }));
const slow: Partial<ClaudeRun> = {
  holdMs: 0,
  decide: () => 'ask',
  ask: () => new Promise((resolve) => setTimeout(resolve, 1500, { state: 'unavailable', message: 'recording' })),
};

const scenes = {
  bash: await record(once(bash('touch made'))),
  write: await record(once(use('Write', { file_path: '/srv/notes.md', content: 'one\ntwo\n' }))),
  read_outside: await record(once(use('Read', { file_path: '/etc/hostname' }))),
  ask_user: await record(
    once(use(ASK_USER, { questions: [{ question: 'Which?', options: [{ label: 'this' }] }, { question: 'Why?' }] })),
  ),
  ask_user_question: await record(
    once(
      use('AskUserQuestion', {
        questions: [
          { question: 'Which region?', header: 'Where', multiSelect: true, options: labelled('Ireland', 'Virginia') },
        ],
      }),
    ),
  ),
  subagent: await record(
    ({ task, results }) => {
      if (results.length) return undefined;
      if (task !== 'go') return [bash('touch made')];
      return [
        use('Agent', {
          description: 'helper',
          prompt: 'TASK: help',
          subagent_type: 'general-purpose',
          run_in_background: false,
        }),
      ];
    },
    { decide: ({ tool }) => (tool === 'Bash' ? 'ask' : 'allow') },
  ),
  two_calls_deferred: await record(once(bash('touch first'), bash('touch second')), slow),
  ask_user_deferred: await record(once(use(ASK_USER, { questions: [{ question: 'Which?' }] })), slow),
};
const file = path.join(import.meta.dirname, '../../runner/claude/frames.json');
const lines = Object.entries(scenes).map(
  ([name, frames]) => `${JSON.stringify(name)}: [\n${frames.map((frame) => JSON.stringify(frame)).join(',\n')}\n]`,
);
writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);

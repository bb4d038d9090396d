import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Kind, Question } from '#core/prompt.ts';
import type { RunnerMessage } from '#core/runner-message.ts';
import type { Thread } from '#core/thread.ts';
import { deployLocally } from '../../infra/local/deploy.ts';
import { postItem } from '../../infra/local/host-post.ts';
import { StopStack } from '../../infra/local/stop-stack.ts';
import { synthesize } from '../../infra/local/synth.ts';
import { runnerApi } from '../../runner/runner-api.ts';
import { followRunnerQueue } from '../../runner/runner-queue.ts';
import { addressOf } from '../../surface/page/address.ts';
import { eventually } from '../support/eventually.ts';
import { findBrowser } from './find-browser.ts';

/** Not in git: each state of the surface as it looks, of the last run. */
const PICTURES = path.resolve(import.meta.dirname, '../../dist/browser-pictures');
export const DESKTOP = { width: 1100, height: 800 };
export const PHONE = { width: 390, height: 844 };

export async function startBrowser(): Promise<Browser> {
  // Debian's sandbox refuses to run as root, as it does in a container; the pages are this project's own.
  return chromium.launch({ executablePath: findBrowser() ?? '', args: ['--no-sandbox'] });
}

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage: true });
}

/** The whole local stack, an agent's side of it, and people with browsers. */
export async function startWorkshop() {
  const stops = new StopStack();
  const stopping = new AbortController();
  const assembly = await synthesize(stopping.signal);
  stops.add(assembly.remove);
  const stack = await deployLocally({ assembly: assembly.folder, port: 0, scheduleEveryMs: 1000, log: () => {} });
  stops.add(stack.stop);
  const { aws, runner_api_url, runner_queue_urls, surface_url, thread_host } = stack.addresses;
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const api = runnerApi(runner_api_url, { region: aws.region, credentials: async () => credentials });
  const sqs = new SQSClient({ region: aws.region, credentials, endpoint: aws.sqs_endpoint });
  stops.add(() => sqs.destroy());
  const heard: RunnerMessage[] = [];
  const hear = async (message: RunnerMessage) => void heard.push(message);
  const following = followRunnerQueue(sqs, runner_queue_urls.default ?? '', hear, stopping.signal);
  stops.add(async () => {
    stopping.abort();
    await following;
  });
  const browser = await startBrowser();
  stops.add(() => browser.close());
  const users = thread_host.users ?? [];
  const keyOf = (user: string) => users.find(({ user_id }) => user_id === user)?.api_key ?? '';

  return {
    api,
    keyOf,
    surfaceUrl: surface_url,
    stop: () => stops.stopAll(),
    thread: (session_id: string): Thread => ({ revision_id: 'rev_1', session_id, alias: 'main' }),
    async raise(thread: Thread, kind: Kind, questions: Question[], more: object = {}): Promise<string> {
      const request_id = `call_${crypto.randomUUID()}`;
      return (await api.raise(thread, { request_id, kind, questions, ...more })).prompt.prompt_id;
    },
    /** What the agent was told of the prompt. */
    outcome: (prompt_id: string) =>
      eventually(
        () =>
          heard.find(
            (message): message is Exclude<RunnerMessage, { type: 'next_turn' }> =>
              message.type !== 'next_turn' && message.prompt.prompt_id === prompt_id,
          ),
        `the outcome of ${prompt_id}`,
      ),
    turns: (thread: Thread) =>
      heard.filter((message) => message.type === 'next_turn' && message.thread.session_id === thread.session_id),
    says: (user: string, thread: Thread, text: string, metadata?: Record<string, unknown>) =>
      postItem(thread_host.url, keyOf(user), thread, {
        content: [{ type: 'text', text }],
        ...(metadata && { metadata }),
      }),
    /** As the agent itself, past the runner API. */
    plants: (thread: Thread, text: string, metadata: Record<string, unknown>) =>
      postItem(thread_host.url, thread_host.runner.api_key, thread, { content: [{ type: 'text', text }], metadata }),
    /** A browser of its own, as a person's. */
    async open(thread: Thread | undefined, options: BrowserContextOptions & { user?: string } = {}): Promise<Page> {
      const { user = 'usr_anna', ...rest } = options;
      const context = await browser.newContext({ viewport: DESKTOP, ...rest });
      await context.addInitScript((key) => {
        if (!sessionStorage.getItem('thread-host-key')) sessionStorage.setItem('thread-host-key', key);
      }, keyOf(user));
      const page = await context.newPage();
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => {
        // What a refused or failed request logs is the browser's own.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
          problems.push(message.text());
        }
      });
      await page.goto(`${surface_url}${thread ? addressOf(thread) : ''}`);
      return page;
    },
    /** Errors of all pages, policy violations among them. */
    problems,
  };
}
const problems: string[] = [];
export type Workshop = Awaited<ReturnType<typeof startWorkshop>>;

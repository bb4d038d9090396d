import { readFileSync } from 'node:fs';
import { displayLine, displayText } from '#core/display.ts';
import { type Item, textOf } from '#core/item.ts';
import { promptText } from '#core/texts.ts';
import { ADDRESSES_FILE, type Addresses } from '../../infra/local/addresses.ts';
import { ageText } from '../age.ts';
import type { Composed } from '../draft.ts';
import { hostClient } from '../host-client.ts';
import { isFrom, type PostedAnswer } from '../is-from.ts';
import { type AskedPrompt, readPrompt, readPromptId } from '../read-prompt.ts';
import { openPromptOf, readThread } from '../read-thread.ts';
import { readSettings, type Settings } from '../settings.ts';
import { type Settlement, settlementOf } from '../settlement.ts';
import { TEXTS } from '../texts.ts';
import { ThreadFeed } from '../thread-feed.ts';
import { AnswerError, composedOf, type Flags, HELP, readFlags } from './answer-flags.ts';
import { askForWords, askInTerminal, choosePrompt, type TerminalContext } from './ask-in-terminal.ts';

export type Terminal = { print(text: string): void; complain(text: string): void; context?: TerminalContext };
/** Without `prompt` where it is answered in words alone: its metadata is malformed, or of a newer version. */
type OpenPrompt = { feed: ThreadFeed; item: Item; prompt: AskedPrompt | undefined };

/** The agent is told within a second or two; a host or runner that is away may take longer, and needs nobody to wait. */
const SETTLE_WAIT_MS = 30_000;
const POLL_MS = 250;

/** @returns the exit code: 0 = listed, or the answer that was given is the agent's; 1 = anything else */
export async function answerCommand(args: string[], terminal: Terminal): Promise<number> {
  const isJson = args.includes('--json');
  try {
    const flags = readFlags(args);
    if (flags.help) {
      terminal.print(HELP);
      return 0;
    }
    return await run(flags, terminal);
  } catch (error) {
    // Ctrl-C in a list.
    const { name, message: why } = error as Error;
    const message = name === 'ExitPromptError' ? 'Nothing was sent.' : why;
    if (isJson) terminal.print(JSON.stringify({ error: message }));
    else terminal.complain(message);
    return 1;
  }
}

async function run(flags: Flags, terminal: Terminal): Promise<number> {
  const pageUrl = flags.url ?? localPageUrl();
  const settings = await readSettings(pageUrl).catch(() => {
    throw new AnswerError(`The thread page at ${pageUrl} does not answer.`);
  });
  const host = hostClient(settings.thread_host_url ?? new URL(pageUrl).origin, keyOf(settings, flags));
  const user_id = await host.me();
  const open = await openPrompts(
    settings,
    settings.threads.map((thread) => new ThreadFeed(host, thread)),
  );
  if (flags.json && flags.prompt === undefined) {
    terminal.print(JSON.stringify(open.map(listedAsJson), null, 2));
    return 0;
  }
  const chosen = flags.json ? named(open, flags.prompt) : await chooseOne(open, user_id, terminal);
  if (!chosen) return 0;
  const composed = flags.json ? composedOf(chosen, flags) : await asked(chosen, terminal);
  if (!composed) return 0;
  if (!composed.ok) throw new AnswerError('tooLong' in composed ? TEXTS.tooLong : TEXTS.answerAll);
  const posted = await chosen.feed.post(composed.item, user_id);
  const answer = { id: posted.id, answers: composed.item.metadata.answers };
  return told(answer, await settled(chosen), flags.json ?? false, terminal);
}

function localPageUrl(): string {
  try {
    return (JSON.parse(readFileSync(ADDRESSES_FILE, 'utf8')) as Addresses).surface_url;
  } catch {
    throw new AnswerError('The stack does not run here: start it with npm start, or name a thread page with --url.');
  }
}

function keyOf({ users = [] }: Settings, { key, user }: Flags): string {
  const account = user === undefined ? users[0] : users.find(({ user_id }) => user_id === user);
  const found = key ?? account?.api_key;
  if (found !== undefined) return found;
  const names = users.map(({ user_id }) => user_id).join(', ');
  throw new AnswerError(names ? `There is no such user here; there are: ${names}.` : 'Give your API key with --key.');
}

/** The longest waiting first. */
async function openPrompts({ runner_user_id }: Settings, feeds: ThreadFeed[]): Promise<OpenPrompt[]> {
  await Promise.all(feeds.map((feed) => feed.refresh()));
  return feeds
    .flatMap((feed) => {
      const item = openPromptOf(readThread(feed.items, runner_user_id));
      return item ? [{ feed, item, prompt: readPrompt(item) }] : [];
    })
    .sort((a, b) => (a.item.created_at < b.item.created_at ? -1 : 1));
}

function listedAsJson({ feed, item, prompt }: OpenPrompt) {
  const asked = prompt ?? { prompt_id: readPromptId(item), text: textOf(item) };
  return { ...asked, thread: feed.thread, item_id: item.id, created_at: item.created_at };
}

function named(open: OpenPrompt[], prompt_id: string | undefined): OpenPrompt {
  const found = open.find(({ item }) => readPromptId(item) === prompt_id);
  if (!found) throw new AnswerError(`${prompt_id} is not open.`);
  return found;
}

async function chooseOne(open: OpenPrompt[], user_id: string, terminal: Terminal): Promise<OpenPrompt | undefined> {
  const [only] = open;
  if (!only) terminal.print('No question waits for an answer.');
  if (open.length <= 1) return only;
  const lines = open.map(({ feed, item }) => {
    const [first = ''] = displayText(textOf(item)).split('\n');
    const age = ageText(item.created_at, Date.now(), TEXTS);
    return `${displayLine(feed.thread.session_id)} / ${displayLine(feed.thread.alias)} (${age}): ${first.slice(0, 60)}`;
  });
  const at = await choosePrompt(lines, user_id, terminal.context);
  return at === undefined ? undefined : open[at];
}

function asked({ item, prompt }: OpenPrompt, terminal: Terminal): Promise<Composed | undefined> {
  terminal.print(`\n${prompt ? promptText(prompt.questions) : displayText(textOf(item))}\n`);
  return prompt ? askInTerminal(prompt, terminal.context) : askForWords(readPromptId(item), terminal.context);
}

async function settled({ feed, item }: OpenPrompt): Promise<Settlement | undefined> {
  for (const end = Date.now() + SETTLE_WAIT_MS; ; await new Promise((resolve) => setTimeout(resolve, POLL_MS))) {
    await feed.refresh();
    const settlement = settlementOf(item, feed.items);
    if (settlement?.state === 'answered' || settlement?.state === 'cancelled' || Date.now() > end) return settlement;
  }
}

/** Whether it was this answer that the agent was given. */
function told(answer: PostedAnswer, settlement: Settlement | undefined, isJson: boolean, terminal: Terminal): number {
  const won = !settlement || isFrom(answer, settlement);
  if (isJson) terminal.print(JSON.stringify({ item_id: answer.id, won, outcome: settlement ?? null }));
  else if (!won) terminal.complain(TEXTS.cameSecond);
  else if (settlement?.state === 'answered') {
    for (const { question, answer } of settlement.answers) {
      const [first = ''] = displayText(question).split('\n');
      terminal.print(`${first} → ${answer.map(displayLine).join(', ') || TEXTS.nothingChosen}`);
    }
  } else terminal.print(TEXTS.sent);
  return won ? 0 : 1;
}

import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { displayLine, displayText } from '#core/display.ts';
import type { ContentBlock, Item } from '#core/item.ts';
import type { Thread } from '#core/thread.ts';
import type { NewPost } from '../host-client.ts';
import type { ThreadEntry } from '../read-thread.ts';
import { typeOf } from '../settlement.ts';
import type { Texts } from '../texts.ts';
import { canAskToNotify } from './notify.ts';

export type ListedThread = {
  thread: Thread;
  address: string;
  isChosen: boolean;
  /** The host's stamp on the newest item. */
  latest: string;
  open: { since: string; age: string } | undefined;
};
type Reply = {
  text: string;
  /** Why it was not posted; empty where nobody said. */
  problem: string | undefined;
  post?: NewPost;
  isSending?: boolean;
};
export type PageState = {
  texts: Texts;
  userId: string;
  users: string[];
  runnerUserId: string | undefined;
  isReachable: boolean;
  threads: ListedThread[];
  chosen: { thread: Thread; entries: ThreadEntry[]; open: Item | undefined } | undefined;
  promptElement: (entry: Extract<ThreadEntry, { is: 'prompt' }>) => Element;
  reply: Reply;
  write: (text: string) => void;
  send: () => void;
  become: (user_id: string) => void;
};

export function pageTemplate(state: PageState): TemplateResult {
  const { texts, chosen } = state;
  return html`<div class=${chosen ? 'page has-thread' : 'page'}>
    <header>${userTemplate(state)} ${notifyTemplate(texts)}</header>
    ${state.isReachable ? nothing : html`<p role="alert" class="unreachable">${texts.unreachable}</p>`}
    <nav aria-labelledby="threads-heading">
      <h1 id="threads-heading">${texts.threads}</h1>
      ${state.threads.length === 0 ? html`<p>${texts.noThreads}</p>` : nothing}
      <ul>
        ${repeat(
          inListOrder(state.threads),
          ({ address }) => address,
          (listed) => listedTemplate(listed, texts),
        )}
      </ul>
    </nav>
    <main>${chosen ? threadTemplate(state, chosen) : html`<p class="hint">${texts.chooseThread}</p>`}</main>
  </div>`;
}

/** For a page that knows no key, or whose key is none. */
export function signInTemplate(texts: Texts, problem: string | undefined, signIn?: (key: string) => void) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const key = new FormData(event.target as HTMLFormElement).get('key');
    if (typeof key === 'string' && key !== '') signIn?.(key);
  };
  return html`<main class="sign-in">
    <h1>${texts.threads}</h1>
    ${problem === undefined ? nothing : html`<p role="alert">${problem}</p>`}
    ${
      signIn
        ? html`<form @submit=${submit}>
            <label>${texts.apiKey} <input name="key" type="password" autocomplete="current-password" required /></label>
            <button>${texts.signIn}</button>
          </form>`
        : nothing
    }
  </main>`;
}

/** Open questions first, the longest waiting first of all; then what was last spoken in. */
function inListOrder(threads: ListedThread[]): ListedThread[] {
  const rank = ({ open, latest }: ListedThread) => (open ? `0${open.since}` : `1${latest}`);
  return threads.toSorted((a, b) => {
    if (a.open && b.open) return rank(a) < rank(b) ? -1 : 1;
    if (a.open || b.open) return a.open ? -1 : 1;
    return rank(a) > rank(b) ? -1 : 1;
  });
}

function listedTemplate({ thread, address, isChosen, open }: ListedThread, texts: Texts): TemplateResult {
  return html`<li>
    <a href=${address} aria-current=${isChosen ? 'page' : nothing}>
      <span class="name">${displayLine(thread.session_id)} / ${displayLine(thread.alias)}</span>
      <small>${displayLine(thread.revision_id)}</small>
      ${open ? html`<strong class="open">${texts.waits(open.age)}</strong>` : nothing}
    </a>
  </li>`;
}

function userTemplate({ texts, users, userId, become }: PageState): TemplateResult {
  if (!users.includes(userId)) return html`<span>${texts.user} ${displayLine(userId)}</span>`;
  const change = ({ target }: Event) => become((target as HTMLSelectElement).value);
  return html`<label
    >${texts.user}
    <select @change=${change}>
      ${users.map((user) => html`<option value=${user} ?selected=${user === userId}>${displayLine(user)}</option>`)}
    </select></label
  >`;
}

function notifyTemplate(texts: Texts): TemplateResult | typeof nothing {
  if (!canAskToNotify()) return nothing;
  return html`<button type="button" class="plain" @click=${() => void Notification.requestPermission()}>
    ${texts.notify}
  </button>`;
}

function threadTemplate(state: PageState, { thread, entries, open }: NonNullable<PageState['chosen']>): TemplateResult {
  const { texts } = state;
  return html`<a class="back" href="#">${texts.back}</a>
    <h1 id="thread-heading" tabindex="-1">${displayLine(thread.session_id)} / ${displayLine(thread.alias)}</h1>
    <ol class="entries">
      ${repeat(entries, keyOf, (entry) => html`<li>${entryTemplate(state, entry)}</li>`)}
    </ol>
    ${replyTemplate(state, open !== undefined)}`;
}

function keyOf(entry: ThreadEntry): string {
  return entry.is === 'steps' ? `steps ${entry.items[0]?.id}` : entry.item.id;
}

function entryTemplate(state: PageState, entry: ThreadEntry): unknown {
  if (entry.is === 'prompt') return state.promptElement(entry);
  if (entry.is === 'message') return messageTemplate(state, entry.item);
  const { texts } = state;
  return html`<details>
    <summary>${texts.steps(entry.items.length)}: ${[...new Set(entry.items.map(stepName))].join(', ')}</summary>
    ${entry.items.map((item) => html`<div class="step"><small>${stepName(item)}</small>${blocksTemplate(item, texts)}</div>`)}
  </details>`;
}

function stepName(item: Item): string {
  return displayLine(String(typeOf(item)));
}

function messageTemplate({ texts, userId, runnerUserId }: PageState, item: Item): TemplateResult {
  const isOwn = item.user_id === userId;
  const who = isOwn ? texts.you : item.user_id === runnerUserId ? texts.agent : displayLine(item.user_id);
  return html`<article class=${isOwn ? 'message own' : 'message'}>
    <small>${who} · <time datetime=${item.created_at}>${new Date(item.created_at).toLocaleString()}</time></small>
    ${blocksTemplate(item, texts)}
  </article>`;
}

function blocksTemplate({ content }: Item, texts: Texts): TemplateResult[] {
  return content.map((block) => html`<pre dir="auto">${blockText(block, texts)}</pre>`);
}

function blockText(block: ContentBlock, texts: Texts): string {
  if (block.type === 'text' && typeof block.text === 'string') return displayText(block.text);
  if (block.type === 'json') return displayText(JSON.stringify(block.json, null, 2) ?? '');
  return texts.block(displayLine(String(block.type)));
}

function replyTemplate({ texts, reply, write, send }: PageState, answers: boolean): TemplateResult {
  const submit = (event: Event) => {
    event.preventDefault();
    send();
  };
  return html`<form class="reply" @submit=${submit}>
    <label for="reply">${texts.reply}</label>
    ${answers ? html`<p id="reply-hint" class="hint">${texts.replyAnswers}</p>` : nothing}
    <textarea
      id="reply"
      rows="2"
      dir="auto"
      aria-describedby=${answers ? 'reply-hint' : nothing}
      ?readonly=${reply.isSending ?? false}
      .value=${reply.text}
      @input=${({ target }: Event) => write((target as HTMLTextAreaElement).value)}
    ></textarea>
    ${
      reply.problem === undefined
        ? nothing
        : html`<p role="alert" class="problem">${texts.notPosted} ${displayLine(reply.problem)}</p>`
    }
    <button>${reply.problem === undefined ? texts.post : texts.sendAgain}</button>
  </form>`;
}

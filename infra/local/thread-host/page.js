// The page of the built-in thread host. What people and agents wrote is only ever set as text.
const POLL_MS = 1000;
const byId = (id) => document.getElementById(id);
const [threads, users, items, form, text, status] = ['thread', 'user', 'items', 'reply', 'text', 'status'].map(byId);
const known = new Set();
let after = '';

async function load(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

function addOption(select, value, label) {
  if (known.has(select.id + value)) return;
  known.add(select.id + value);
  select.append(new Option(label, value));
}

function addItem({ user_id, created_at, content }) {
  const who = document.createElement('small');
  who.textContent = `${user_id} · ${created_at}`;
  const what = document.createElement('pre');
  what.textContent = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
  const entry = document.createElement('li');
  entry.append(who, what);
  items.append(entry);
}

async function refresh() {
  const state = await load('/page/threads');
  for (const thread of state.threads) {
    addOption(threads, JSON.stringify(thread), `${thread.session_id} / ${thread.alias} (${thread.revision_id})`);
  }
  for (const user of state.users) addOption(users, user, user);
  if (!threads.value) return;
  const chosen = threads.value;
  const page = await load(`/page/items?${new URLSearchParams({ ...JSON.parse(chosen), after })}`);
  if (chosen !== threads.value) return;
  page.items.forEach(addItem);
  after = page.items.at(-1)?.created_at ?? after;
}

async function poll() {
  try {
    await refresh();
    status.textContent = '';
  } catch {
    status.textContent = 'The thread host does not answer.';
  }
  setTimeout(poll, POLL_MS);
}

threads.addEventListener('change', () => {
  after = '';
  items.replaceChildren();
});

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const reply = { thread: JSON.parse(threads.value), user_id: users.value, text: text.value };
  const response = await fetch('/page/reply', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(reply),
  });
  if (response.ok) text.value = '';
  else status.textContent = `The reply was not taken: HTTP ${response.status}.`;
});

void poll();

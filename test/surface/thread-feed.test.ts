import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Item } from '#core/item.ts';
import { type HostClient, HostError } from '../../surface/host-client.ts';
import { ThreadFeed } from '../../surface/thread-feed.ts';
import { type GivenHost, givenHost, THREAD, words } from './given-host.ts';

let given: GivenHost;
beforeEach(async () => {
  given = await givenHost();
});
afterEach(() => given.host.stop());

const texts = (feed: ThreadFeed) => feed.items.map(({ content }) => content[0]?.text);

it('reads a thread of more than one page, and then what is new', async () => {
  const anna = given.as('anna');
  for (let n = 0; n < 120; n++) await anna.post(THREAD, words(`${n}`));
  const feed = new ThreadFeed(anna, THREAD);
  await feed.refresh();
  expect(texts(feed)).toEqual(Array.from({ length: 120 }, (_, n) => `${n}`));
  await given.as('ben').post(THREAD, words('new'));
  await feed.refresh();
  expect(texts(feed).slice(-2)).toEqual(['119', 'new']);
});

it('finds an item that became visible after one with a later stamp, and puts it where it belongs', async () => {
  const item = (id: string, created_at: string): Item => ({ id, created_at, user_id: 'u', content: [] });
  const [early, late] = [item('a', '2026-05-28T12:00:00.000001+00:00'), item('b', '2026-05-28T12:00:00.000002+00:00')];
  let visible = [late];
  const list = async (_thread: unknown, since = '') => visible.filter(({ created_at }) => created_at > since);
  const feed = new ThreadFeed({ list } as HostClient, THREAD);
  await feed.refresh();
  visible = [early, late];
  await feed.refresh();
  expect(feed.items.map(({ id }) => id)).toEqual(['a', 'b']);
});

it('comes to an end with a host that takes the bound for inclusive', async () => {
  const item: Item = { id: 'a', created_at: '2026-05-28T12:00:00.000001+00:00', user_id: 'u', content: [] };
  const feed = new ThreadFeed({ list: async () => [item] } as Partial<HostClient> as HostClient, THREAD);
  await feed.refresh();
  await feed.refresh();
  expect(feed.items).toEqual([item]);
});

/** The host carries a post out, and its answer is lost on the way. */
function forgetful(client: HostClient): HostClient {
  let isLost = false;
  return {
    ...client,
    async post(thread, post) {
      const item = await client.post(thread, post);
      if (isLost) return item;
      isLost = true;
      throw new Error('the connection broke');
    },
  };
}

it('does not post again what landed though its answer was lost', async () => {
  const feed = new ThreadFeed(forgetful(given.as('anna')), THREAD);
  const post = words('once', { prompt_id: 'prm_1' });
  await expect(feed.post(post, 'usr_anna')).rejects.toThrow('the connection broke');
  const item = await feed.post(post, 'usr_anna');
  expect(feed.items).toEqual([item]);
});

it('posts the same words again that were posted before, by this or another user', async () => {
  const feed = new ThreadFeed(given.as('anna'), THREAD);
  await feed.post(words('yes'), 'usr_anna');
  await feed.post(words('yes'), 'usr_anna');
  const refused = new ThreadFeed({ ...given.as('anna'), post: () => Promise.reject(new Error('down')) }, THREAD);
  const post = words('yes');
  await refused.refresh();
  await expect(refused.post(post, 'usr_anna')).rejects.toThrow('down');
  await given.as('ben').post(THREAD, post);
  await expect(refused.post(post, 'usr_anna'), 'that of another user is not it').rejects.toThrow('down');
  expect(texts(refused)).toEqual(['yes', 'yes', 'yes']);
});

it("tells the host's reason where it refuses", async () => {
  const tooLarge = given.as('anna').post(THREAD, words('x'.repeat(351 * 1024)));
  await expect(tooLarge).rejects.toEqual(new HostError(413, 'The item is over 350 KB.'));
  await expect(given.as('anna').me()).resolves.toBe('usr_anna');
});

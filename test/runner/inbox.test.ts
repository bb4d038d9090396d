import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { nextTurnMessage } from '#core/runner-message.ts';
import { fileInbox } from '../../runner/inbox.ts';
import { item, THREAD } from '../support/given.ts';
import { newFolder, threadOf } from './given-runner.ts';

const turn = (id: string, thread = THREAD) => nextTurnMessage(thread, item(id, { id }), undefined);

it('keeps what it took over a restart, in its order, until it is done', async () => {
  const folder = newFolder();
  const first = await fileInbox(folder);
  for (let n = 0; n < 12; n++) expect(await first.add(turn(`itm_${n}`))).toBe(true);
  await first.done([turn('itm_0'), turn('itm_3')]);
  const second = await fileInbox(folder);
  await second.add(turn('itm_12'));
  const kept = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => turn(`itm_${n}`));
  expect(await second.waiting()).toEqual(kept);
  expect(await (await fileInbox(folder)).waiting()).toEqual(kept);
});

it('takes a message once, while it waits and when it is done, after a restart too', async () => {
  const folder = newFolder();
  for (const settle of [false, true, false]) {
    const inbox = await fileInbox(folder);
    const isNew = await inbox.add(turn('itm_1'));
    expect(isNew).toBe(!settle && (await inbox.waiting()).length === 1);
    if (settle) await inbox.done([turn('itm_1')]);
  }
});

it('tells the same item of two threads apart, whatever its id', async () => {
  const inbox = await fileInbox(newFolder());
  expect(await inbox.add(turn('../../x', threadOf('one')))).toBe(true);
  expect(await inbox.add(turn('../../x', threadOf('two')))).toBe(true);
  expect(await inbox.waiting()).toHaveLength(2);
});

it('drops what a crash left half written or half done, and forgets the done ones when no repeat can come', async () => {
  const folder = newFolder();
  const inbox = await fileInbox(folder);
  await inbox.add(turn('itm_1'));
  const [file = ''] = readdirSync(path.join(folder, 'waiting'));
  writeFileSync(path.join(folder, 'waiting', '000000000002-abc.json.part'), '{"half');
  const done = path.join(folder, 'done', file.replace(/^\d+-|\.json$/g, ''));
  writeFileSync(done, '');
  const again = await fileInbox(folder);
  expect(await again.waiting()).toEqual([]);
  expect(await again.add(turn('itm_1'))).toBe(false);
  expect(readdirSync(path.join(folder, 'waiting'))).toEqual([]);
  const old = new Date(Date.now() - 15 * 24 * 3_600_000);
  utimesSync(done, old, old);
  expect(await (await fileInbox(folder)).add(turn('itm_1'))).toBe(true);
});

it('says which file in there is none of its messages', async () => {
  const folder = newFolder();
  await fileInbox(folder);
  writeFileSync(path.join(folder, 'waiting', '000000000001-abc.json'), '{}');
  await expect((await fileInbox(folder)).waiting()).rejects.toThrow(/000000000001-abc\.json is no next turn/);
});

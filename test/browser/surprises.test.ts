import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Question } from '#core/prompt.ts';
import { eventually } from '../support/eventually.ts';
import { startWorkshop, type Workshop } from './workshop.ts';

/** What happens to a question while a person has it before them, and what agents and hosts may do to a page. */
let workshop: Workshop;
beforeAll(async () => {
  workshop = await startWorkshop();
});
afterAll(async () => {
  expect(workshop.problems).toEqual([]);
  await workshop.stop();
});

const APPROVE: Question['options'] = [{ label: 'Approve' }, { label: 'Deny' }];
const APPROVAL: Question[] = [{ question: 'Run this command?\n\n    rm -rf build', options: APPROVE }];
const STYLE: Question[] = [{ question: 'Any style?' }];
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const promptAt = (page: Page, at: number) => page.locator('pending-prompt').nth(at);

let sessions = 0;
const newThread = () => workshop.thread(`ses_surprises_${++sessions}`);

it('keeps the draft of a question that was superseded while one was typing, and sends nothing', async () => {
  const thread = newThread();
  const first = await workshop.raise(thread, 'ask_user_question', STYLE);
  const page = await workshop.open(thread);
  await page.getByLabel('Any style?').fill('dark, with la');
  await workshop.raise(thread, 'approval', APPROVAL);
  await promptAt(page, 0).getByText('What you had chosen or written here was not sent:').waitFor();
  await promptAt(page, 0).getByText('dark, with la').waitFor();
  await promptAt(page, 0).getByText('superseded by a new question').waitFor();
  await promptAt(page, 1).getByRole('button', { name: 'Approve' }).waitFor();
  expect(await workshop.outcome(first)).toMatchObject({ type: 'prompt_cancelled' });
  // What was being typed must not go on in the new question.
  await page.keyboard.type('vender');
  await page.keyboard.press('Enter');
  expect(await promptAt(page, 1).getByLabel('Words to the agent').inputValue()).toBe('');
  expect(workshop.turns(thread)).toEqual([]);
});

it('shows an answer given elsewhere while the question was open, keeps the draft, and sends nothing', async () => {
  const thread = newThread();
  await workshop.raise(thread, 'approval', APPROVAL);
  const page = await workshop.open(thread);
  await page.getByLabel('Words to the agent').fill('wait for me');
  await workshop.says('usr_ben', thread, 'yes');
  await page.getByText(/^Answered by usr_ben, /).waitFor();
  await promptAt(page, 0).getByText('wait for me').waitFor();
  expect(await button(page, 'Approve').count()).toBe(0);
  expect(workshop.turns(thread)).toEqual([]);
});

it('lets one of two tabs win that answer at once, and tells the other', async () => {
  const thread = newThread();
  const prompt_id = await workshop.raise(thread, 'approval', APPROVAL);
  const anna = await workshop.open(thread);
  const ben = await workshop.open(thread, { user: 'usr_ben' });
  const ready = (page: Page, name: string) => button(page, name).and(page.locator('[aria-disabled=false]')).waitFor();
  await Promise.all([ready(anna, 'Approve'), ready(ben, 'Deny')]);
  await Promise.all([button(anna, 'Approve').click(), button(ben, 'Deny').click()]);

  const outcome = await workshop.outcome(prompt_id);
  if (outcome.type !== 'prompt_answered') throw new Error('it was answered');
  const winner = outcome.item.user_id;
  const [won, lost] = winner === 'usr_anna' ? [anna, ben] : [ben, anna];
  const told = (page: Page) => page.getByText('What you sent goes to the agent as a message.');
  await told(lost).waitFor();
  for (const page of [won, lost]) await page.getByText(new RegExp(`^Answered by ${winner}, `)).waitFor();
  expect(await told(won).count()).toBe(0);
  await eventually(() => workshop.turns(thread).length === 1, 'the other answer as a next turn');
});

it('keeps the answer while the host is down, and sends it again, once, with one visible button', async () => {
  const thread = newThread();
  const prompt_id = await workshop.raise(thread, 'ask_user_question', STYLE);
  const page = await workshop.open(thread);
  await page.getByLabel('Any style?').fill('dark');
  await page.context().setOffline(true);
  await button(page, 'Send answer').click();
  await page.getByText('The answer was not sent; it is kept here.').waitFor();
  await page.getByText('What is shown may be old.').waitFor();
  await button(page, 'Send again').click();
  await button(page, 'Send again').waitFor();
  await page.context().setOffline(false);
  await button(page, 'Send again').click();
  expect(await workshop.outcome(prompt_id)).toMatchObject({ prompt: { answers: [{ answer: ['dark'] }] } });
  await page.getByText(/^Answered by usr_anna, /).waitFor();
});

it('does not post twice what was posted though it seemed to fail', async () => {
  const thread = newThread();
  const prompt_id = await workshop.raise(thread, 'ask_user_question', STYLE);
  const page = await workshop.open(thread);
  await page.getByLabel('Any style?').fill('dark');
  let isLost = false;
  await page.route('**/data', async (route) => {
    if (isLost || !route.request().postData()?.includes('post_session_thread_item')) return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
  await button(page, 'Send answer').click();
  await page.getByText(/^Answered by usr_anna, /).waitFor();
  expect(await page.getByText('What you had chosen or written here was not sent:').count()).toBe(0);
  expect(await workshop.outcome(prompt_id)).toMatchObject({ type: 'prompt_answered' });

  await page.getByLabel('Reply').fill('thanks');
  isLost = false;
  await button(page, 'Post').click();
  await page.getByText('The reply was not posted; it is kept here.').waitFor();
  await button(page, 'Send again').click();
  await eventually(async () => (await page.getByLabel('Reply').inputValue()) === '', 'the reply box is empty again');
  await eventually(() => workshop.turns(thread).length > 0, 'the reply as a next turn');
  expect(await page.getByText('thanks', { exact: true }).count()).toBe(1);
});

it('shows hostile text as text: markup, bidirectional and hidden characters', async () => {
  const thread = newThread();
  const hostile = '<img src=x onerror="document.title=1"> \u202Egnp.exe\u2066\u200B';
  const options = [{ label: `<b>x</b>\u202E`, description: 'a\n  2. Approve' }, { label: '__proto__' }];
  const prompt_id = await workshop.raise(thread, 'ask_user_question', [{ question: hostile, options }]);
  await workshop.says('usr_ben', thread, '<script>document.title=1</script>\u202E', {
    type: 'note<b>',
    prompt_id: 'x',
  });
  const page = await workshop.open(thread);
  const prompt = promptAt(page, 0);
  const isNamed = '<img src=x onerror="document.title=1"> <U+202E>gnp.exe<U+2066><U+200B>';
  await prompt.getByRole('group', { name: isNamed, exact: true }).waitFor();
  await prompt.getByLabel('<b>x</b><U+202E>').waitFor();
  await prompt.getByText('a   2. Approve').waitFor();
  await page.getByText('<script>document.title=1</script><U+202E>').waitFor();
  expect(await page.evaluate(() => document.querySelectorAll('img, script:not([src])').length)).toBe(0);
  expect(await page.title()).toBe(await page.title().then((title) => title.match(/^(\(\d+\) )?Threads$/)?.[0]));
  await prompt.getByLabel('<b>x</b><U+202E>').check();
  await button(page, 'Send answer').click();
  const outcome = await workshop.outcome(prompt_id);
  expect(outcome).toMatchObject({ prompt: { answers: [{ question: hostile, answer: ['<b>x</b>\u202E'] }] } });
});

it('shows a question of 60 KiB whole, and 50 options', async () => {
  const thread = newThread();
  const question = `${'word '.repeat(12 * 1024 - 10)}THE END`;
  const options = Array.from({ length: 50 }, (_, at) => ({ label: `option ${at + 1} of fifty` }));
  const long = await workshop.raise(thread, 'approval', [{ question, options: APPROVE }]);
  const page = await workshop.open(thread);
  await page.getByText('THE END').waitFor();
  expect(await page.locator('pending-prompt pre').first().textContent()).toBe(question);
  await button(page, 'Deny').click();
  await workshop.outcome(long);
  const many = await workshop.raise(thread, 'ask_user_question', [{ question: 'Which?', multiSelect: true, options }]);
  await page.getByLabel('option 50 of fifty').check();
  expect(await page.getByRole('checkbox').count()).toBe(52);
  await button(page, 'Send answer').click();
  expect(await workshop.outcome(many)).toMatchObject({ prompt: { answers: [{ answer: ['option 50 of fifty'] }] } });
});

it('shows the text and a reply box for metadata that is malformed or of a newer version', async () => {
  const thread = newThread();
  await workshop.plants(thread, 'Which colour?', {
    type: 'pending_prompt',
    prompt: { prompt_id: 'p', kind: 'picture' },
  });
  const page = await workshop.open(thread);
  const prompt = promptAt(page, 0);
  await prompt.getByText('Which colour?').waitFor();
  await prompt.getByLabel('Your answer').fill('blue');
  await prompt.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('article').getByText('blue').waitFor();
  await workshop.plants(thread, '', { type: 'pending_prompt', prompt: null });
  await promptAt(page, 1).getByText('The question cannot be read here.').waitFor();
});

it("takes nobody else's item for a question of the agent", async () => {
  const thread = newThread();
  const prompt = { prompt_id: 'prm_x', kind: 'approval', questions: APPROVAL };
  await workshop.says('usr_ben', thread, 'Shall I?', { type: 'pending_prompt', prompt });
  const page = await workshop.open(thread);
  await page.getByRole('article').getByText('Shall I?').waitFor();
  expect(await page.locator('pending-prompt').count()).toBe(0);
});

it('folds what the agent did in between', async () => {
  const thread = newThread();
  await workshop.says('usr_anna', thread, 'Please build it.');
  await workshop.plants(thread, 'Reading a.ts', { type: 'tool_call' });
  await workshop.plants(thread, '300 lines', { type: 'tool_result' });
  const page = await workshop.open(thread);
  const summary = page.getByText('2 steps: tool_call, tool_result');
  await summary.waitFor();
  expect(await page.getByText('300 lines').isVisible()).toBe(false);
  await summary.click();
  await page.getByText('300 lines').waitFor();
});

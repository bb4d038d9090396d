import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Question } from '#core/prompt.ts';
import { eventually } from '../support/eventually.ts';
import { DESKTOP, PHONE, startWorkshop, type Workshop } from './workshop.ts';

/** Keyboard, focus, title, notifications, the list, a phone. */
let workshop: Workshop;
beforeAll(async () => {
  workshop = await startWorkshop();
});
afterAll(async () => {
  expect(workshop.problems).toEqual([]);
  await workshop.stop();
});

const APPROVAL: Question[] = [{ question: 'Run it?', options: [{ label: 'Approve' }, { label: 'Deny' }] }];
const TARGET: Question[] = [{ question: 'Which target?', options: [{ label: 'staging' }, { label: 'production' }] }];
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const focused = (page: Page) =>
  page.evaluate(() => {
    const outer = document.activeElement;
    return (outer?.shadowRoot?.activeElement ?? outer)?.textContent?.trim() ?? '';
  });

it('lists open questions first with their age, the longest waiting first, and counts them in the title', async () => {
  const [quiet, old, young] = ['ses_quiet', 'ses_old', 'ses_young'].map(workshop.thread) as [never, never, never];
  const first = await workshop.raise(old, 'approval', APPROVAL);
  await workshop.raise(young, 'approval', APPROVAL);
  await workshop.says('usr_anna', quiet, 'Hello.');
  const page = await workshop.open(undefined);
  const names = () => page.locator('nav .name').allInnerTexts();
  await eventually(async () => (await names()).length === 3, 'three threads');
  expect(await names()).toEqual(['ses_old / main', 'ses_young / main', 'ses_quiet / main']);
  await page
    .getByText(/^waits for an answer: \d+ s$/)
    .first()
    .waitFor();
  await eventually(async () => (await page.title()) === '(2) Threads', 'two in the title');
  await workshop.says('usr_anna', old, 'yes');
  await workshop.outcome(first);
  await eventually(async () => (await page.title()) === '(1) Threads', 'one in the title');
  expect(await names()).toEqual(['ses_young / main', 'ses_old / main', 'ses_quiet / main']);
});

it('answers by keyboard alone', async () => {
  const thread = workshop.thread('ses_keyboard');
  const page = await workshop.open(thread);
  await page.getByLabel('Reply').waitFor();
  const prompt_id = await workshop.raise(thread, 'ask_user_question', TARGET);
  await eventually(async () => (await focused(page)) === 'The agent asks', 'the focus is on the new question');
  await page.keyboard.press('Tab');
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  // Enter on a choice chooses nothing and sends nothing.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Send answer');
  await button(page, 'Send answer').and(page.locator('[aria-disabled=false]')).waitFor();
  await page.keyboard.press('Enter');
  expect(await workshop.outcome(prompt_id)).toMatchObject({ prompt: { answers: [{ answer: ['production'] }] } });
  await eventually(async () => (await focused(page)) === 'The agent asks', 'the focus is not lost');
});

it('does not take the focus from somebody who types', async () => {
  const thread = workshop.thread('ses_typing');
  const page = await workshop.open(thread);
  await page.getByLabel('Reply').fill('half a sen');
  await page.getByLabel('Reply').press('End');
  await workshop.raise(thread, 'approval', APPROVAL);
  await button(page, 'Approve').waitFor();
  await page.keyboard.type('tence');
  expect(await page.getByLabel('Reply').inputValue()).toBe('half a sentence');
});

it('notifies of a new question where that is allowed and nobody looks', async () => {
  const thread = workshop.thread('ses_notify');
  const page = await workshop.open(thread, { permissions: ['notifications'] });
  await page.getByLabel('Reply').waitFor();
  await page.evaluate(() => {
    const shown: string[] = [];
    Object.defineProperty(document, 'hidden', { get: () => true });
    class Recorded extends EventTarget {
      static permission = 'granted';
      constructor(title: string, { body }: NotificationOptions) {
        super();
        shown.push(`${title}: ${body}`);
      }
    }
    Object.assign(window, { Notification: Recorded, shown });
  });
  // As an agent might post it that does not ask through the runner API.
  const prompt = { prompt_id: 'prm_x', kind: 'approval', questions: APPROVAL };
  await workshop.plants(thread, 'Run \u202Eit?', { type: 'pending_prompt', prompt });
  const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  await eventually(async () => (await shown()).length > 0, 'a notification');
  expect((await shown())[0]).toMatch(/^The agent asks: Run <U\+202E>it\?/);
});

it('offers notifications, and asks for them only at a click', async () => {
  const page = await workshop.open(undefined);
  await page.evaluate(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'default' });
    Notification.requestPermission = async () => {
      document.body.dataset.asked = 'yes';
      return 'default';
    };
  });
  await button(page, 'Notify me of questions').click();
  expect(await page.locator('body').getAttribute('data-asked')).toBe('yes');
});

it('turns to the open question of a long thread', async () => {
  const thread = workshop.thread('ses_long');
  await workshop.says('usr_anna', thread, 'line\n'.repeat(200));
  await workshop.raise(thread, 'approval', APPROVAL);
  const page = await workshop.open(thread);
  const approve = button(page, 'Approve');
  await approve.waitFor();
  const isSeen = async () => ((await approve.boundingBox())?.y ?? Number.POSITIVE_INFINITY) < DESKTOP.height;
  await eventually(isSeen, 'the button is on the screen');
});

it('asks for a key where no users are there to choose from, and says so where the host knows none', async () => {
  const thread = workshop.thread('ses_key');
  await workshop.raise(thread, 'approval', APPROVAL);
  const page = await workshop.open(undefined, { user: 'nobody' });
  let isDown = true;
  await page.route('**/surface.json', async (route) => {
    const { users: _users, ...settings } = await (await route.fetch()).json();
    await route.fulfill({ json: settings });
  });
  await page.route('**/users/me', (route) => (isDown ? route.abort() : route.fallback()));
  await page.evaluate(() => sessionStorage.setItem('thread-host-key', 'wrong'));
  await page.reload();
  await page.getByText('The thread host does not answer.').waitFor();
  isDown = false;
  await page.getByText('The thread host does not know this key.').waitFor();
  await page.getByLabel('Your API key at the thread host').fill(workshop.keyOf('usr_ben'));
  await button(page, 'Continue').click();
  await page.getByText('You are usr_ben').waitFor();
  await page.getByRole('link', { name: /ses_key / }).waitFor();
});

it('works on a phone: the list, the thread, and back, with nothing wider than the screen', async () => {
  const thread = workshop.thread('ses_phone');
  const wide = { label: 'x'.repeat(200), description: 'y'.repeat(200) };
  await workshop.raise(thread, 'ask_user_question', [{ question: `Which? ${'z'.repeat(300)}`, options: [wide] }]);
  const page = await workshop.open(undefined, { viewport: PHONE, hasTouch: true, isMobile: true });
  await page.getByRole('link', { name: /ses_phone/ }).tap();
  await page.getByText('Which?').waitFor();
  expect(await page.locator('nav').isVisible()).toBe(false);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(PHONE.width);
  await page.getByRole('link', { name: 'All threads' }).tap();
  await page.locator('nav').waitFor();
});

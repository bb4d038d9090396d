import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePageOfReadme, writeBarePage } from './bare-page.ts';
import { startBrowser } from './workshop.ts';

/** The element alone, in the page of the README. */
let browser: Browser;
let bare: Awaited<ReturnType<typeof writeBarePage>>;
beforeAll(async () => {
  browser = await startBrowser();
  bare = await writeBarePage(barePageOfReadme());
});
afterAll(async () => {
  await browser.close();
  bare.remove();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const posted = async (page: Page) => (await page.locator('#posted').textContent()) ?? '';

async function open(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(bare.url);
  return page;
}

/** The page shows another question in the same element. */
async function show(page: Page, prompt_id: string, question: string): Promise<void> {
  const options = [{ label: 'Approve' }, { label: 'Deny' }];
  const prompt = { prompt_id, kind: 'approval', questions: [{ question, options }] };
  const item = { metadata: { type: 'pending_prompt', prompt } };
  const element = page.locator('pending-prompt');
  await element.evaluate((prompt, shown) => void Object.assign(prompt, { item: shown }), item);
}

it('works in the ten lines of the README, run as written', async () => {
  expect(barePageOfReadme().trim().split('\n')).toHaveLength(10);
  const page = await open();
  await button(page, 'Approve').click();
  const question = 'Run this command?\n\n    rm -rf build';
  expect(JSON.parse(await posted(page))).toEqual({
    content: [{ type: 'text', text: 'Approve' }],
    metadata: { answers: [{ question, answer: ['Approve'] }], prompt_id: 'prm_1' },
  });
});

it('shows the new question when one is superseded in the same element, keeps the draft, and sends nothing', async () => {
  const page = await open();
  await page.getByLabel('Words to the agent').fill('not on a Fri');
  await show(page, 'prm_2', 'Delete the database?');
  await page.getByText('Delete the database?').waitFor();
  await page.getByText('not on a Fri', { exact: true }).waitFor();
  expect(await page.getByLabel('Words to the agent').inputValue()).toBe('');
  expect(await posted(page)).toBe('');
});

it('takes no click for a new question that was meant for the one before it', async () => {
  const page = await open();
  await button(page, 'Approve').and(page.locator('[aria-disabled=false]')).waitFor();
  const click = () =>
    page.evaluate(() => {
      const root = document.querySelector('pending-prompt')?.shadowRoot;
      root?.querySelector<HTMLElement>('.approve')?.click();
    });
  await page.evaluate(() => {
    // Both at once: the question changes, and the finger that was on its way comes down.
    const element = document.querySelector('pending-prompt');
    if (!element) throw new Error('no element');
    const item = structuredClone(element.item) as { metadata: { prompt: { prompt_id: string } } };
    item.metadata.prompt.prompt_id = 'prm_2';
    Object.assign(element, { item });
    return element.updateComplete.then(() => {
      element.shadowRoot?.querySelector<HTMLElement>('.approve')?.click();
    });
  });
  expect(await posted(page)).toBe('');
  await button(page, 'Approve').and(page.locator('[aria-disabled=false]')).waitFor();
  await click();
  expect(JSON.parse(await posted(page)).metadata.prompt_id).toBe('prm_2');
});

it('keeps the draft while the page hands over the same question again', async () => {
  const page = await open();
  await page.getByLabel('Words to the agent').fill('hm');
  await show(page, 'prm_1', 'Run this command?');
  expect(await page.getByLabel('Words to the agent').inputValue()).toBe('hm');
});

it('is never blank: neither for an attribute that is no JSON, nor for an item without anything', async () => {
  const page = await open();
  for (const attribute of ['{', '{}', '[]', '"x"']) {
    await page.locator('pending-prompt').evaluate((element, item) => element.setAttribute('item', item), attribute);
    await page.getByText('The question cannot be read here.').waitFor();
    await page.getByLabel('Your answer').waitFor();
  }
  await page.getByLabel('Your answer').fill('well');
  await button(page, 'Send answer').click();
  await eventually(async () => (await posted(page)) !== '', 'the answer in words');
  expect(JSON.parse(await posted(page))).toEqual({ content: [{ type: 'text', text: 'well' }], metadata: {} });
});

it('is themed by custom properties and parts', async () => {
  const page = await open();
  await page.addStyleTag({
    content:
      'pending-prompt { --pending-prompt-background: rgb(1, 2, 3) } pending-prompt::part(deny) { color: rgb(4, 5, 6) }',
  });
  const styleOf = (part: string, name: string) =>
    page.evaluate(
      ([selector = '', property = '']) => {
        const element = document.querySelector('pending-prompt')?.shadowRoot?.querySelector(selector);
        return element && getComputedStyle(element).getPropertyValue(property);
      },
      [part, name],
    );
  expect(await styleOf('.card', 'background-color')).toBe('rgb(1, 2, 3)');
  expect(await styleOf('.deny', 'color')).toBe('rgb(4, 5, 6)');
});

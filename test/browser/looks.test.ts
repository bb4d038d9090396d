import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Question } from '#core/prompt.ts';
import type { Settlement } from '../../surface/settlement.ts';
import { writeBarePage } from './bare-page.ts';
import { DESKTOP, PHONE, picture, startBrowser, startWorkshop, type Workshop } from './workshop.ts';

/** Each state as a picture in dist/browser-pictures, and without a violation that axe-core knows. */
const HTML = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>States</title>
<meta name="color-scheme" content="light dark"><script src="pending-prompt.js"></script>
<main><h1>Thread</h1><pending-prompt user="usr_anna"></pending-prompt></main></html>`;

let browser: Browser;
let bare: Awaited<ReturnType<typeof writeBarePage>>;
let workshop: Workshop;
beforeAll(async () => {
  browser = await startBrowser();
  bare = await writeBarePage(HTML);
  workshop = await startWorkshop();
});
afterAll(async () => {
  expect(workshop.problems).toEqual([]);
  await workshop.stop();
  await browser.close();
  bare.remove();
});

const APPROVE = [{ label: 'Approve' }, { label: 'Deny' }];
const COMMAND = 'Run this command?\n\n    rm -rf build && npm run deploy -- --stage production';
const FORM: Question[] = [
  {
    question: 'Where should the data come from?',
    options: [
      { label: 'CSV import', description: 'people upload a file' },
      { label: 'API', description: 'the billing service, nightly' },
    ],
  },
  {
    question: 'Which sections?',
    multiSelect: true,
    options: [{ label: 'KPI cards' }, { label: 'Table' }, { label: 'Chart' }],
  },
  { question: 'Any preference for visual style?' },
];
const FORM_ANSWERS = [['CSV import'], ['KPI cards', 'Table'], ['dark']];
const approval = itemOf('approval', [{ question: COMMAND, options: APPROVE }]);
const at = '2026-05-28T12:00:00.000000+00:00';
const by = { user_id: 'usr_ben', item_id: 'itm_2' };
const denied = [{ question: COMMAND, answer: ['Deny'] }];

function itemOf(kind: string, questions: Question[]) {
  return { metadata: { type: 'pending_prompt', prompt: { prompt_id: `prm_${kind}`, kind, questions } } };
}

type State = {
  name: string;
  item: object;
  settled?: Settlement;
  /** What the page does with an answer. */
  posting?: 'never' | 'fails';
  act?: (page: Page) => Promise<void>;
};
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const words = (page: Page) => page.getByLabel('Words to the agent').fill('not on a Friday');
const STATES: State[] = [
  { name: 'open-approval', item: approval },
  { name: 'open-form', item: itemOf('ask_user_question', FORM) },
  { name: 'open-text', item: itemOf('text', [{ question: 'What is the release called?' }]) },
  {
    name: 'form-with-other',
    item: itemOf('ask_user_question', FORM),
    async act(page) {
      await page.getByLabel('Other').first().check();
      await page.getByLabel('Your own answer').fill('a spreadsheet');
      await page.getByLabel('Table').check();
    },
  },
  {
    name: 'form-unanswered',
    item: itemOf('ask_user_question', FORM),
    act: (page) => button(page, 'Send answer').click(),
  },
  { name: 'sending', item: approval, posting: 'never', act: (page) => button(page, 'Approve').click() },
  {
    name: 'not-sent',
    item: approval,
    posting: 'fails',
    async act(page) {
      await words(page);
      await button(page, 'Deny').click();
      await button(page, 'Send again').waitFor();
    },
  },
  { name: 'answering', item: approval, settled: { state: 'answering', answers: denied, at, by } },
  { name: 'answered', item: approval, settled: { state: 'answered', answers: denied, at, by } },
  { name: 'cancelled', item: approval, settled: { state: 'cancelled', reason: 'the run ended', at } },
  {
    name: 'superseded-while-typing',
    item: approval,
    async act(page) {
      await words(page);
      const item = itemOf('text', [{ question: 'Delete the database first?' }]);
      await page
        .locator('pending-prompt')
        .evaluate((element, shown) => void Object.assign(element, { item: shown }), item);
      await page.getByText('not on a Friday', { exact: true }).waitFor();
    },
  },
  { name: 'cannot-show', item: { content: [{ type: 'text', text: 'Which colour?' }], metadata: {} } },
];

const VIEWS = [
  { view: 'desktop-light', viewport: DESKTOP, colorScheme: 'light' },
  { view: 'desktop-dark', viewport: DESKTOP, colorScheme: 'dark' },
  { view: 'phone-light', viewport: PHONE, colorScheme: 'light' },
  { view: 'phone-dark', viewport: PHONE, colorScheme: 'dark' },
] as const;

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

it.each(VIEWS)('each state of the element, $view', async ({ view, viewport, colorScheme }) => {
  const context = await browser.newContext({ viewport, colorScheme });
  for (const { name, item, settled, posting, act } of STATES) {
    const page = await context.newPage();
    await page.goto(bare.url);
    await page.evaluate(
      ([shown, ended, outcome]) => {
        const never = new Promise(() => {});
        addEventListener('prompt-answer', (event) =>
          (event as Event & { waitUntil(posting: Promise<unknown>): void }).waitUntil(
            outcome === 'never' ? never : Promise.reject(new Error('The thread host does not answer.')),
          ),
        );
        Object.assign(document.querySelector('pending-prompt') ?? {}, { item: shown, settled: ended });
      },
      [item, settled, posting] as const,
    );
    // Colours are judged as they are in the end, not while a new question takes no click yet.
    await page.locator('pending-prompt section').waitFor();
    if (!settled) await page.locator('pending-prompt [aria-disabled=false]').first().waitFor();
    await act?.(page);
    await picture(page, `${name}-${view}`);
    expect(await page.locator('pending-prompt section').textContent(), name).not.toMatch(
      /false|undefined|null|\[object/,
    );
    expect(await violations(page), name).toEqual([]);
    await page.close();
  }
  await context.close();
});

it.each(VIEWS)('the thread page, $view', async ({ view, viewport, colorScheme }) => {
  const thread = workshop.thread(`sales-dashboard-${view}`);
  await workshop.says('usr_anna', thread, 'Please build the sales dashboard and put it online.');
  await workshop.plants(thread, 'grep -r billing src', { type: 'tool_call' });
  await workshop.plants(thread, '14 matches', { type: 'tool_result' });
  // One is answered already, and the other one is open.
  const askForm = () => workshop.raise(thread, 'ask_user_question', FORM);
  const askApproval = () => workshop.raise(thread, 'approval', [{ question: COMMAND, options: APPROVE }]);
  const [first, second] = viewport === PHONE ? [askApproval, askForm] : [askForm, askApproval];
  const prompt_id = await first();
  const answers = FORM.map(({ question }, at) => ({ question, answer: FORM_ANSWERS[at] }));
  if (viewport === PHONE) await workshop.says('usr_ben', thread, 'Not on a Friday, please.');
  else await workshop.says('usr_ben', thread, 'CSV import · KPI cards, Table · dark', { prompt_id, answers });
  await workshop.outcome(prompt_id);
  await second();
  const page = await workshop.open(thread, { viewport, colorScheme });
  await page.locator('pending-prompt [aria-disabled=false]').first().waitFor();
  await page.getByText(/^Answered by usr_ben, /).waitFor();
  await picture(page, `thread-page-${view}`);
  expect(await violations(page)).toEqual([]);
  await page.goto(`${workshop.surfaceUrl}#`);
  await page
    .getByRole('link', { name: /waits for an answer/ })
    .first()
    .waitFor();
  await picture(page, `thread-list-${view}`);
  expect(await violations(page)).toEqual([]);
});

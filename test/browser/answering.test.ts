import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Question } from '#core/prompt.ts';
import { eventually } from '../support/eventually.ts';
import { startWorkshop, type Workshop } from './workshop.ts';

/** Every kind of prompt, from the button to what the agent has, through the whole local stack. */
let workshop: Workshop;
beforeAll(async () => {
  workshop = await startWorkshop();
});
afterAll(async () => {
  expect(workshop.problems).toEqual([]);
  await workshop.stop();
});

const APPROVAL: Question[] = [
  { question: 'Run this command?\n\n    rm -rf build', options: [{ label: 'Approve' }, { label: 'Deny' }] },
];
const TARGET: Question = {
  question: 'Which target?',
  options: [{ label: 'staging', description: 'the test system' }, { label: 'production' }],
};
const SECTIONS: Question = {
  question: 'Which sections?',
  multiSelect: true,
  options: [{ label: 'KPI cards' }, { label: 'Table' }, { label: 'Chart' }],
};
const STYLE: Question = { question: 'Any style?' };

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const send = (page: Page) => button(page, 'Send answer').click();

let sessions = 0;
async function asked(kind: Parameters<Workshop['raise']>[1], questions: Question[], more: object = {}) {
  const thread = workshop.thread(`ses_answering_${++sessions}`);
  const prompt_id = await workshop.raise(thread, kind, questions, more);
  const page = await workshop.open(thread);
  return { thread, prompt_id, page };
}

async function answersOf(prompt_id: string): Promise<string[][] | string> {
  const outcome = await workshop.outcome(prompt_id);
  return outcome.type === 'prompt_answered'
    ? outcome.prompt.answers.map(({ answer }) => answer)
    : outcome.prompt.reason;
}

it('approves with one click, and a second click does nothing', async () => {
  const { page, prompt_id, thread } = await asked('approval', APPROVAL);
  await button(page, 'Approve').dblclick();
  expect(await answersOf(prompt_id)).toEqual([['Approve']]);
  await page.getByText(/^Answered by usr_anna, /).waitFor();
  expect(workshop.turns(thread)).toEqual([]);
});

it('approves with Enter on the focused button', async () => {
  const { page, prompt_id } = await asked('approval', APPROVAL);
  await button(page, 'Approve').and(page.locator('[aria-disabled=false]')).focus();
  await page.keyboard.press('Enter');
  expect(await answersOf(prompt_id)).toEqual([['Approve']]);
});

it('denies with words, which the agent has beside the denial, even words that would approve', async () => {
  const { page, prompt_id } = await asked('approval', APPROVAL);
  await page.getByLabel('Words to the agent').fill('ok');
  await button(page, 'Deny').click();
  const outcome = await workshop.outcome(prompt_id);
  expect(outcome).toMatchObject({ prompt: { answers: [{ answer: ['Deny'] }] } });
  expect(outcome).toMatchObject({ item: { content: [{ type: 'text', text: 'Deny: ok' }] } });
});

it('answers a single choice', async () => {
  const { page, prompt_id } = await asked('ask_user_question', [TARGET]);
  await page.getByLabel('production').check();
  await send(page);
  expect(await answersOf(prompt_id)).toEqual([['production']]);
});

it('answers a single choice with words of one\'s own under "Other"', async () => {
  const { page, prompt_id } = await asked('ask_user_question', [TARGET]);
  await page.getByLabel('Other').check();
  await page.getByLabel('Your own answer').fill('  a machine\nof mine ');
  await send(page);
  expect(await answersOf(prompt_id)).toEqual([['  a machine\nof mine ']]);
});

it('answers a multiple choice, "Other" among it', async () => {
  const { page, prompt_id } = await asked('ask_user_question', [SECTIONS]);
  await page.getByLabel('Chart').check();
  await page.getByLabel('KPI cards').check();
  await page.getByLabel('Other').check();
  await page.getByLabel('Your own answer').fill('a map');
  await send(page);
  expect(await answersOf(prompt_id)).toEqual([['KPI cards', 'Chart', 'a map']]);
});

it('answers a multiple choice with none of it, deliberately', async () => {
  const { page, prompt_id } = await asked('ask_user_question', [SECTIONS]);
  await page.getByLabel('Table').check();
  await page.getByLabel('None of these').check();
  expect(await page.getByLabel('Table').isChecked()).toBe(false);
  await send(page);
  expect(await answersOf(prompt_id)).toEqual([[]]);
});

it('answers a text prompt', async () => {
  const { page, prompt_id } = await asked('text', [{ question: 'What is the release called?' }]);
  await page.getByLabel('What is the release called?').fill('1');
  await send(page);
  expect(await answersOf(prompt_id)).toEqual([['1']]);
});

it('answers several questions as one form, with nothing preselected and nothing left out', async () => {
  const { page, prompt_id, thread } = await asked('ask_user_question', [TARGET, SECTIONS, STYLE]);
  const prompt = page.locator('pending-prompt');
  expect(await prompt.locator('input:checked').count()).toBe(0);
  await page.getByLabel('staging').check();
  await send(page);
  await prompt.getByText('This is not answered yet.').first().waitFor();
  expect(await prompt.locator('[aria-invalid=true]').count()).toBe(2);
  expect(workshop.turns(thread)).toEqual([]);

  await page.getByLabel('Table').check();
  await page.getByLabel('Any style?').fill('dark');
  await send(page);
  expect(await answersOf(prompt_id)).toEqual([['staging'], ['Table'], ['dark']]);
  await page.getByText(/^Answered by usr_anna, /).waitFor();
});

it('tells somebody who may not answer who may, and lets the other choose to be that user', async () => {
  const { page, prompt_id } = await asked('approval', APPROVAL, { allowed_user_ids: ['usr_ben'] });
  await page.getByText('Only usr_ben can answer this.').waitFor();
  expect(await button(page, 'Approve').count()).toBe(0);
  await page.getByLabel('You are').selectOption('usr_ben');
  await button(page, 'Approve').click();
  expect(await workshop.outcome(prompt_id)).toMatchObject({ item: { user_id: 'usr_ben' } });
});

it('posts a plain reply below, which answers in words', async () => {
  const { page, prompt_id } = await asked('ask_user_question', [TARGET]);
  await page.getByLabel('Reply').fill('2');
  await button(page, 'Post').click();
  expect(await answersOf(prompt_id)).toEqual([['production']]);
  await eventually(async () => (await page.getByLabel('Reply').inputValue()) === '', 'the reply box is empty again');
});

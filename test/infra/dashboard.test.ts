import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { METRICS } from '#core/metrics.ts';
import { readable, synthesize } from './synthesized-stack.ts';

type Widget = {
  type: string;
  x: number;
  y: number;
  properties: { markdown?: string; title?: string; metrics?: unknown[][] };
};

const runbook = await readFile(new URL('../../infra/runbook.md', import.meta.url), 'utf8');
const [page] = synthesize().ofType('AWS::CloudWatch::Dashboard');
const { widgets }: { widgets: Widget[] } = JSON.parse(readable(page?.Properties.DashboardBody));

/** A row of the table for each row of the page, a cell for each widget, as they stand side by side. */
function layout(): string[] {
  const rows = Map.groupBy(widgets, ({ y }) => y);
  const lines = [...rows.values()].map((row) => row.toSorted((a, b) => a.x - b.x).map(told));
  const table = lines.flatMap((cells, n) => (n % 2 ? [] : [[...cells, ...(lines[n + 1] ?? [])]]));
  return table.map((cells) => `| ${[...cells, '', '', ''].slice(0, 4).join(' | ')} |`.replace(/ {2,}/g, ' '));
}

function told({ type, properties: { markdown, title, metrics = [] } }: Widget): string {
  if (type === 'text') return String(markdown).replace('## ', '');
  const names = metrics.map(([, metric]) => metric).filter((name) => typeof name === 'string');
  return type === 'alarm' ? 'the state of each alarm' : `**${title}**: ${[...new Set(names)].join(', ')}`;
}

test('the runbook shows the page as it is', () => {
  const section = runbook.split('\n## ').find((text) => text.startsWith('The dashboard\n')) ?? '';
  expect(section.split('\n').filter((line) => /^\| [A-Z]/.test(line))).toEqual(layout());
});

test('every metric of ours on it is one that the functions emit', () => {
  const ours = widgets
    .flatMap(({ properties: { metrics = [] } }) => metrics)
    .filter(([space]) => space === 'InteractivePrompts');
  expect(ours.length).toBeGreaterThan(30);
  expect(ours.map(([, metric]) => String(metric)).filter((name) => !Object.hasOwn(METRICS, name))).toEqual([]);
});

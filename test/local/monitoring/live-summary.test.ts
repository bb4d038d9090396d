import { expect, it } from 'vitest';
import type { Metrics } from '#core/metrics.ts';
import { changedSummary } from '../../../infra/local/monitoring/live-summary.ts';
import { MetricStore } from '../../../infra/local/monitoring/metric-store.ts';

function watched() {
  const store = new MetricStore(60_000);
  const line = changedSummary(store);
  let at = 0;
  return {
    emit: (metrics: Metrics) => {
      for (const [name, value] of Object.entries(metrics)) {
        store.put({ namespace: 'InteractivePrompts', name, dimensions: { function: 'any' } }, value, at++);
      }
    },
    line: (debtsOnly = false) => line({ debtsOnly }),
  };
}

it('says nothing while nothing happens, and nothing of ages alone', () => {
  const { emit, line } = watched();
  expect(line()).toBeUndefined();
  emit({ PromptsOpen: 0, OldestOpenMs: 0, OldestUnnotifiedMs: 0 });
  expect(line()).toBeUndefined();
  emit({ PromptsOpen: 1, OldestOpenMs: 3000 });
  expect(line()).toBe('1 open, the oldest for 3 s');
  emit({ OldestOpenMs: 180_000 });
  expect(line()).toBeUndefined();
  emit({ Answered: 1, PromptsOpen: 0 });
  expect(line()).toBe('0 open · 1 answered');
});

it('names what stays owed, and says when it is paid', () => {
  const { emit, line } = watched();
  emit({ OldestUnauditedMs: 9000, OldestUnnotifiedMs: 600_000 });
  expect(line()).toContain('owed: an agent was not told its answer (for 10 min)');
  emit({ OldestUnauditedMs: 12_000 });
  expect(line()).toContain('owed: a thread does not show its answer (for 12 s)');
  emit({ OldestUnauditedMs: 0, OldestUnnotifiedMs: 0 });
  expect(line()).not.toContain('owed');
});

it('lets a dialogue in the terminal tell what is open and answered, and breaks in with debts alone', () => {
  const { emit, line } = watched();
  emit({ PromptsOpen: 1 });
  expect(line(true)).toBeUndefined();
  emit({ OldestUnnotifiedMs: 60_000 });
  expect(line(true)).toContain('owed');
  expect(line(true)).toBeUndefined();
  emit({ Answered: 1 });
  expect(line(true)).toBeUndefined();
  expect(line(false)).toContain('1 answered');
});

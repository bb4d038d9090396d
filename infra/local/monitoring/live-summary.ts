import type { MetricName } from '#core/metrics.ts';
import type { MetricStore } from './metric-store.ts';

const EVERY_MS = 10_000;
/** Every answer owes for a moment; only what stays owed is worth a line. */
const DEBT_AFTER_MS = 10_000;

const OUTCOMES: readonly (readonly [MetricName, string])[] = [
  ['Answered', 'answered'],
  ['PromptCancelled', 'cancelled'],
  ['NextTurn', 'passed on as next turns'],
];
const DEBTS: readonly (readonly [MetricName, string])[] = [
  ['OldestUnnotifiedMs', 'an agent was not told its answer'],
  ['OldestUnauditedMs', 'a thread does not show its answer'],
];

/** The terminal's one line: what waits, what became of what came, what is owed. */
type Summary = { line: string; counts: string; debts: string };

/**
 * Says now and then how things are, but only when something else than an age changed. While a dialogue is in the terminal
 * that tells itself what is open and answered, it is not broken into but for what is owed.
 * @returns ends it
 */
export function tellLive(store: MetricStore, say: (line: string) => void, isDialogue: () => boolean): () => void {
  const changed = changedSummary(store);
  const timer = setInterval(() => {
    const line = changed({ debtsOnly: isDialogue() });
    if (line !== undefined) say(line);
  }, EVERY_MS);
  return () => clearInterval(timer);
}

/** The line, where it says more than the last one did. */
export function changedSummary(store: MetricStore) {
  let told: Pick<Summary, 'counts' | 'debts'> = { counts: summarize(store).counts, debts: '' };
  return ({ debtsOnly }: { debtsOnly: boolean }): string | undefined => {
    const summary = summarize(store);
    if (summary.debts === told.debts && (debtsOnly || summary.counts === told.counts)) return undefined;
    told = summary;
    return summary.line;
  };
}

function summarize(store: MetricStore): Summary {
  const of = (name: MetricName) => store.all().filter((series) => series.name === name);
  const now = (name: MetricName) => Math.max(0, ...of(name).map(({ latest }) => latest.value));
  const total = (name: MetricName) => of(name).reduce((sum, series) => sum + series.total.sum, 0);
  const open = now('PromptsOpen');
  const outcomes = OUTCOMES.filter(([name]) => total(name) > 0).map(([name, what]) => `${total(name)} ${what}`);
  const owed = DEBTS.filter(([name]) => now(name) > DEBT_AFTER_MS);
  const oldest = open > 0 ? `, the oldest for ${age(now('OldestOpenMs'))}` : '';
  const debts = owed.map(([name, what]) => `owed: ${what} (for ${age(now(name))})`);
  return {
    line: [`${open} open${oldest}`, ...outcomes, ...debts].join(' · '),
    counts: [open, ...outcomes].join(),
    debts: owed.join(),
  };
}

function age(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

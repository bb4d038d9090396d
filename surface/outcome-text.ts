import { displayLine } from '#core/display.ts';
import { isFrom, type PostedAnswer } from './is-from.ts';
import type { Settlement } from './settlement.ts';
import type { Texts } from './texts.ts';

/** How a prompt ended, to somebody who may have posted an answer: who answered and when, or why it was cancelled. */
export function outcomeText(settled: Settlement, posted: PostedAnswer | undefined, texts: Texts): string {
  const outcome = endText(settled, posted, texts);
  return posted && !isFrom(posted, settled) ? `${outcome}. ${texts.cameSecond}` : outcome;
}

function endText(settled: Settlement, posted: PostedAnswer | undefined, texts: Texts): string {
  const when = new Date(settled.at).toLocaleString();
  switch (settled.state) {
    case 'answered':
      return texts.answered(settled.by && displayLine(settled.by.user_id), when);
    case 'answering':
      return posted && isFrom(posted, settled) ? texts.sent : texts.answering(displayLine(settled.by.user_id));
    case 'cancelled':
      return texts.cancelled(displayLine(settled.reason), when);
    case 'over':
      return texts.over;
  }
}

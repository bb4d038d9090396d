import { afterAll, describe, expect, it } from 'vitest';
import type { Configuration } from './configuration.ts';
import { LARGE, SMALL } from './configurations.ts';
import { DEFENCES, type Defence, without } from './defences.ts';
import { explore } from './search.ts';
import { told } from './told.ts';

/** Where each defence is missed first, and which invariant breaks without it. */
const MUTANTS: Record<Defence, [configuration: Configuration, breaks: string]> = {
  orderFence: [SMALL.stall, 'I6'],
  conditionalWrite: [SMALL.stall, 'I1'],
  readAgain: [SMALL.cancel, 'I5'],
  answeredBy: [SMALL.stall, 'I5'],
  receipt: [SMALL.duplicate, 'I5'],
  waitWhilePosting: [SMALL.stall, 'A2'],
  staleNames: [SMALL.names, 'A5'],
  rememberQuestions: [SMALL.names, 'A5'],
  allowedUsers: [SMALL.allowedUsers, 'I8'],
  ignoreOwnItems: [SMALL.latePost, 'I8'],
  notifyBeforeAudit: [SMALL.stall, 'I3'],
  claimBeforeAudit: [SMALL.stall, 'I2'],
  ownClaim: [SMALL.unsent, 'I2'],
  postWithinClaim: [LARGE.longStall, 'I2'],
  lookBeforeRepost: [SMALL.stall, 'I2'],
  waitForUnknownAudit: [SMALL.latePost, 'I2'],
  unendedClaim: [SMALL.cutPost, 'I2'],
  outbox: [SMALL.names, 'I10'],
  durableBeforeDelete: [SMALL.stall, 'I10'],
  keepMessage: [SMALL.stall, 'I10'],
  historyBeforeDrop: [SMALL.cancel, 'I1'],
  sendBeforeReceipt: [SMALL.stall, 'I10'],
  lookBeforeGivingUp: [SMALL.stall, 'P7'],
  watchLateLanding: [SMALL.latePost, 'I10'],
  lookBeforeAskingAgain: [SMALL.retry, 'P7'],
  postingClaim: [SMALL.names, 'P7'],
  idempotentRaise: [SMALL.retry, 'P1'],
  loserIsTold: [SMALL.cancel, 'I1'],
  dropOnlyAsSeen: [SMALL.cutPost, 'I10'],
  historyForward: [SMALL.cutPostAndStall, 'I1'],
  askedAfterAll: [SMALL.latePost, 'I11'],
  givenUpIsFinal: [SMALL.retry, 'P7'],
  ownAttempt: [SMALL.retry, 'P7'],
  slotReadFirst: [SMALL.torn, 'I11'],
  receiptReadAgain: [SMALL.torn, 'I5'],
  adoptUnknown: [LARGE.lostTable, 'I1'],
  adoptInOrder: [SMALL.lostTable, 'P5'],
  reconciler: [SMALL.stall, 'I10'],
  attachTellsOutcomes: [SMALL.restart, 'I18'],
};

/** A check that would not notice a missing defence proves nothing (I20). `MODEL_TRACES=1` prints how each is missed. */
describe('the checker finds that a defence is missing:', () => {
  const rows: string[] = [];
  it.each(Object.keys(DEFENCES) as Defence[])(
    '%s',
    (defence) => {
      const [configuration, breaks] = MUTANTS[defence];
      const { violation, states } = explore({ configuration, on: without(defence) });
      const caught = violation
        ? `${violation.invariant} in ${violation.trace.length} steps, ${states} states`
        : 'NOTHING';
      rows.push(`${defence.padEnd(22)} ${caught.padEnd(32)} ${DEFENCES[defence]}`);
      if (violation && process.env.MODEL_TRACES) rows.push(told(violation));
      expect(violation?.invariant).toBe(breaks);
    },
    60_000,
  );
  afterAll(() => console.log(['defence removed        what caught it', ...rows].join('\n')));
});

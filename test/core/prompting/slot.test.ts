import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOST_ID_LIMIT } from '#core/host-schemas.ts';
import {
  ANSWERS_LIMIT_BYTES,
  acknowledge,
  beginPosting,
  CLAIM_MS,
  cancelLateLanding,
  debtsOf,
  dropFinished,
  emptySlot,
  isJustAnswered,
  KEPT_ITEM_BYTES,
  LANDED_LATE,
  markOwed,
  markUnfinished,
  OUTBOX_LIMIT,
  openPrompt,
  POSTING_CLAIM_MS,
  POSTING_GRACE_MS,
  promptDueAt,
  RAISE_LIMIT_BYTES,
  type Slot,
  SUPERSEDED,
  settle,
  takeOverPosting,
  withdraw,
  workOf,
} from '#core/prompting/slot.ts';
import { answered, at, item, OTHER_PROMPT_ID, open, PROMPT_ID, posting, slotWith } from '../../support/given.ts';

const posted = { item_id: 'itm_question', posted_at: at(100) };
const withdrawn = (more = {}) => {
  const { claimed_until, ...prompt } = posting();
  return { ...prompt, state: 'withdrawn' as const, settled_at: 5000, ...more };
};
const second = () => posting({ prompt_id: OTHER_PROMPT_ID, request_id: 'req_2' });
const denied = { state: 'cancelled', reason: 'the run ended' } as const;

describe('a raise', () => {
  it('takes an empty slot', () => {
    expect(beginPosting(emptySlot(), posting(), 1000)).toEqual({ rev: 0, active: posting(), outbox: [] });
  });
  it('supersedes the open prompt in the same write (P5)', () => {
    const { state, ...prompt } = open();
    expect(beginPosting(slotWith({ active: open() }), second(), 9000)).toEqual({
      rev: 3,
      active: second(),
      outbox: [{ ...prompt, state: 'cancelled', reason: SUPERSEDED, settled_at: 9000, claimed_until: 9000 + CLAIM_MS }],
    });
  });
  it('keeps what is owed of earlier prompts', () => {
    expect(beginPosting(slotWith({ outbox: [answered()] }), second(), 9000)?.outbox).toEqual([answered()]);
  });
  it('waits while another question is being posted', () => {
    expect(beginPosting(slotWith({ active: posting() }), second(), 9000)).toBeUndefined();
  });
  it('takes over its own posting that nobody is at any more, as it stands (P1)', () => {
    const left = posting();
    const taken = takeOverPosting(slotWith({ active: left, outbox: [answered()] }), PROMPT_ID, left.claimed_until);
    const active = { ...left, claimed_until: left.claimed_until + POSTING_CLAIM_MS };
    expect(taken).toEqual(slotWith({ active, outbox: [answered()] }));
  });
  it.each([
    ['one that a call is at', posting(), PROMPT_ID, posting().claimed_until - 1],
    ['that of another request', posting(), OTHER_PROMPT_ID, 900_000],
    ['an open prompt', open(), PROMPT_ID, 900_000],
    ['nothing', undefined, PROMPT_ID, 900_000],
  ] as const)('does not take over %s', (_, active, prompt_id, now) => {
    expect(takeOverPosting(slotWith(active && { active }), prompt_id, now)).toBeUndefined();
  });
  it('is refused by a full outbox', () => {
    const outbox = Array.from({ length: OUTBOX_LIMIT }, (_, i) => answered({ prompt_id: `prm_${i}` }));
    expect(beginPosting(slotWith({ outbox: outbox.slice(1) }), second(), 9000)).toBeDefined();
    expect(beginPosting(slotWith({ outbox }), second(), 9000)).toBeUndefined();
  });
  it('is refused where a later answer might not fit the record', () => {
    const slot = slotWith();
    const size = JSON.stringify({ ...slot, active: posting({ session: '' }) }).length;
    const fits = posting({ session: 'x'.repeat(RAISE_LIMIT_BYTES - size) });
    expect(beginPosting(slot, fits, 1)).toBeDefined();
    expect(beginPosting(slot, { ...fits, session: `${fits.session}x` }, 1)).toBeUndefined();
  });
});

it('the largest answer to the largest prompt fits the record (A9, I13)', () => {
  const id = '\u0001'.repeat(HOST_ID_LIMIT);
  const size = JSON.stringify(slotWith({ active: open({ session: '' }) })).length;
  const slot = slotWith({ active: open({ session: 'x'.repeat(RAISE_LIMIT_BYTES - size) }) });
  const answers = [{ question: 'Run it?', answer: ['x'.repeat(ANSWERS_LIMIT_BYTES)] }];
  const kept = item('x'.repeat(KEPT_ITEM_BYTES));
  const answered_by = { item_id: id, user_id: id, created_at: id };
  const settled = settle(slot, PROMPT_ID, { state: 'answered', answers, answered_by, item: kept }, 900_000_000_000_000);
  const marks = { notified_at: 9e14, audit_unknown_at: 9e14, next_attempt_at: 9e14 };
  const marked = settled && markUnfinished(settled, PROMPT_ID, { ...marks, claimed_until: 9e14 });
  expect(JSON.stringify(marked).length).toBeLessThan(399 * 1024);
});

describe('the question', () => {
  it('opens where the host put it', () => {
    expect(openPrompt(slotWith({ active: posting() }), PROMPT_ID, posted)).toEqual(slotWith({ active: open() }));
  });
  it.each([
    ['another prompt', slotWith({ active: second() })],
    ['an open one', slotWith({ active: open() })],
    ['nothing', slotWith()],
  ])('does not open over %s', (_, slot) => {
    expect(openPrompt(slot, PROMPT_ID, posted)).toBeUndefined();
    expect(withdraw(slot, posting(), true, 1)).toBeUndefined();
  });
  it('refused by the host leaves nothing (P7)', () => {
    expect(withdraw(slotWith({ active: posting() }), posting(), false, 5000)).toEqual(slotWith());
  });
  it('that may still land is watched for (P7)', () => {
    expect(withdraw(slotWith({ active: posting() }), posting(), true, 5000)).toEqual(
      slotWith({ outbox: [withdrawn()] }),
    );
  });
  it('of a later attempt is not withdrawn by an earlier one', () => {
    const later = slotWith({ active: posting({ claimed_until: 90_000 }) });
    expect(withdraw(later, posting(), false, 5000)).toBeUndefined();
  });
  it('that landed late is cancelled', () => {
    const { state, ...prompt } = withdrawn();
    const cancelled = { ...prompt, ...posted, state: 'cancelled' as const, reason: LANDED_LATE, settled_at: 7000 };
    const found = withdrawn({ next_attempt_at: 6000 });
    expect(cancelLateLanding(slotWith({ outbox: [found] }), found, posted, 7000)).toEqual(
      slotWith({ outbox: [cancelled] }),
    );
    expect(cancelLateLanding(slotWith(), found, posted, 7000)).toEqual(slotWith({ outbox: [cancelled] }));
  });
  it.each([
    ['is active again', slotWith({ active: posting() })],
    ['is settled already', slotWith({ outbox: [answered()] })],
  ])('that landed late and %s is left alone', (_, slot) => {
    expect(cancelLateLanding(slot, withdrawn(), posted, 7000)).toBeUndefined();
  });
});

describe('a settlement', () => {
  it('gives the open prompt its outcome, once (P6)', () => {
    const { state, ...prompt } = open();
    const settled = settle(slotWith({ active: open() }), PROMPT_ID, denied, 5000);
    expect(settled).toEqual(
      slotWith({ outbox: [{ ...prompt, ...denied, settled_at: 5000, claimed_until: 5000 + CLAIM_MS }] }),
    );
    expect(settle(settled as Slot, PROMPT_ID, denied, 6000)).toBeUndefined();
  });
  it.each([
    ['another prompt', slotWith({ active: open({ prompt_id: OTHER_PROMPT_ID }) })],
    ['one that is being posted', slotWith({ active: posting() })],
    ['nothing', slotWith()],
  ])('does not touch %s', (_, slot) => {
    expect(settle(slot, PROMPT_ID, denied, 5000)).toBeUndefined();
  });
  it('is never undone or changed by anything that follows (P6)', () => {
    const slot = slotWith({ active: open({ prompt_id: OTHER_PROMPT_ID }), outbox: [answered()] });
    const steps: Record<string, (slot: Slot, prompt_id: string) => Slot | undefined> = {
      settle: (s, id) => settle(s, id, denied, 7000),
      open: (s, id) => openPrompt(s, id, posted),
      withdraw: (s, id) => withdraw(s, posting({ prompt_id: id }), true, 7000),
      raise: (s, id) => beginPosting(s, posting({ prompt_id: id }), 7000),
      late: (s, id) => cancelLateLanding(s, withdrawn({ prompt_id: id }), posted, 7000),
      mark: (s, id) => markUnfinished(s, id, { next_attempt_at: 7000 }),
      acknowledge: (s, id) => acknowledge(s, id, 7000),
      drop: (s, id) => dropFinished(s, id),
    };
    const step = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.constantFrom(PROMPT_ID, OTHER_PROMPT_ID, 'prm_3'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (history) => {
        let seen = slot;
        const outcomes = new Map([[PROMPT_ID, JSON.stringify(['answered', answered().state])]]);
        for (const [name, id] of history) {
          // A raise finds a prompt that is known and changes nothing (P1); what is past and settled never lands late.
          const isSettled = outcomes.has(id) || seen.active?.prompt_id === id;
          const isKnown = isSettled || seen.outbox.some(({ prompt_id }) => prompt_id === id);
          if (name === 'raise' ? isKnown : name === 'late' && isSettled) continue;
          seen = steps[name]?.(seen, id) ?? seen;
          for (const prompt of seen.outbox) {
            if (prompt.state === 'withdrawn') continue;
            const outcome = JSON.stringify(
              prompt.state === 'answered' ? ['answered', prompt.state] : ['cancelled', prompt.reason],
            );
            expect(outcomes.get(prompt.prompt_id) ?? outcome).toBe(outcome);
            outcomes.set(prompt.prompt_id, outcome);
          }
          const known = [seen.active, ...seen.outbox].filter((p) => p !== undefined).map((p) => p.prompt_id);
          expect(new Set(known).size).toBe(known.length);
        }
      }),
    );
  });
});

describe('what follows a settlement', () => {
  const slot = slotWith({ outbox: [answered(), answered({ prompt_id: OTHER_PROMPT_ID })] });
  it('is marked, and the claim ends with the mark', () => {
    const { claimed_until, ...prompt } = answered();
    const marked = markUnfinished(slot, PROMPT_ID, { notified_at: 6000, next_attempt_at: 7000 });
    expect(marked?.outbox).toEqual([{ ...prompt, notified_at: 6000, next_attempt_at: 7000 }, slot.outbox[1]]);
    expect(markUnfinished(slot, 'prm_3', {})).toBeUndefined();
  });
  it("is marked after a failed attempt without ending another worker's claim (I2)", () => {
    const mark = { next_attempt_at: 7000 };
    const { claimed_until, ...unclaimed } = answered();
    const failed = (prompt: Parameters<typeof promptDueAt>[0], mine: number | undefined, now: number) =>
      markOwed(slotWith({ outbox: [prompt] }), PROMPT_ID, mark, mine, now)?.outbox[0];
    expect(failed(unclaimed as never, undefined, 6000)).toEqual({ ...unclaimed, ...mark });
    expect(failed(answered(), 20_000, 6000)).toEqual({ ...unclaimed, ...mark });
    expect(failed(answered(), 19_000, 6000)).toBeUndefined();
    expect(failed(answered(), undefined, 19_999)).toBeUndefined();
    expect(failed(answered(), undefined, 20_000)).toEqual({ ...answered(), ...mark });
    expect(markOwed(slotWith(), PROMPT_ID, mark, undefined, 6000)).toBeUndefined();
  });
  it('is acknowledged without ending a claim, and keeps its first time', () => {
    const acked = acknowledge(slot, PROMPT_ID, 6000);
    expect(acked?.outbox).toEqual([{ ...answered(), acked_at: 6000 }, slot.outbox[1]]);
    expect(acknowledge(acked as Slot, PROMPT_ID, 9000)?.outbox[0]).toMatchObject({ acked_at: 6000 });
    expect(acknowledge(slot, 'prm_3', 6000)).toBeUndefined();
  });
  it('ends by leaving the slot', () => {
    expect(dropFinished(slot, PROMPT_ID)).toEqual(slotWith({ outbox: [slot.outbox[1] as never] }));
    expect(dropFinished(slot, 'prm_3')).toBeUndefined();
  });
  it('is due for the reconciler when its claim or pause ends', () => {
    const { claimed_until, ...unclaimed } = answered();
    expect(promptDueAt(answered())).toBe(20_000);
    expect(promptDueAt(answered({ next_attempt_at: 30_000 }))).toBe(30_000);
    expect(promptDueAt(answered({ next_attempt_at: 10_000 }))).toBe(20_000);
    expect(promptDueAt(unclaimed)).toBe(5000);
    expect(promptDueAt(withdrawn())).toBe(5000 + POSTING_GRACE_MS);
    expect(promptDueAt(withdrawn({ next_attempt_at: 6000 }))).toBe(6000);
  });
  it('lists the thread by what is due, while anything is', () => {
    expect(workOf(slotWith())).toBeUndefined();
    const left = posting().claimed_until - POSTING_CLAIM_MS + POSTING_GRACE_MS;
    expect(workOf(slotWith({ active: posting() }))).toEqual({ list: 'unfinished', at: left });
    const notified = answered({ notified_at: 1 });
    const late = withdrawn({ prompt_id: OTHER_PROMPT_ID, next_attempt_at: 6000 });
    expect(workOf(slotWith({ active: open(), outbox: [notified, late] }))).toEqual({ list: 'unfinished', at: 6000 });
    expect(workOf(slotWith({ active: posting(), outbox: [notified] }))).toEqual({ list: 'unfinished', at: 20_000 });
  });
  it('lists an open question by its age, and its answer leaves the entry as it is', () => {
    const slot = slotWith({ active: open() });
    const outcome = {
      state: 'answered',
      answers: [] as never[],
      answered_by: { item_id: 'itm_1', user_id: 'usr_anna', created_at: at(200) },
    } as const;
    expect(workOf(slot)).toEqual({ list: 'open', at: 1000 });
    expect(workOf(settle(slot, PROMPT_ID, outcome, 5000) as Slot)).toEqual({ list: 'open', at: 1000 });
    expect(workOf(settle(slot, PROMPT_ID, denied, 5000) as Slot)).toEqual({ list: 'unfinished', at: 5000 + CLAIM_MS });
  });
  it.each([
    ['it was marked', { next_attempt_at: 30_000 }],
    ['the runner was told', { notified_at: 6000 }],
  ])('finds an answered prompt by its message alone, until %s', (_, mark) => {
    expect(isJustAnswered(answered())).toBe(true);
    expect(isJustAnswered(answered(mark))).toBe(false);
  });
  it('tells since when outcomes and audit items are owed; a question given up owes neither', () => {
    expect(debtsOf(slotWith({ outbox: [withdrawn()] }))).toEqual({});
    const [told, untold] = [answered({ settled_at: 4000, notified_at: 4100 }), answered({ settled_at: 6000 })];
    const later = answered({ settled_at: 7000 });
    expect(debtsOf(slotWith({ outbox: [later, untold, told] }))).toEqual({
      unnotified_since: 6000,
      unaudited_since: 4000,
    });
  });
});

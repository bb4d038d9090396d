import { describe, expect, it } from 'vitest';
import { nextTurnMessage, outcomeMessage } from '#core/runner-message.ts';
import { answered, item, OTHER_PROMPT_ID, open, PROMPT_ID, THREAD } from '../support/given.ts';

const cancelled = (more = {}) =>
  ({ ...open(), state: 'cancelled', reason: 'the run ended', settled_at: 5000, ...more }) as const;
const answer = item('yes');

describe('what the runner is told (interface.md 3)', () => {
  it('of an answered prompt: answers, the answering item, no reason (A8)', () => {
    expect(outcomeMessage(THREAD, answered(), answer)).toStrictEqual({
      message_id: `${PROMPT_ID}.answered`,
      type: 'prompt_answered',
      thread: THREAD,
      request_id: 'req_1',
      prompt: {
        prompt_id: PROMPT_ID,
        kind: 'approval',
        prompt_state: 'answered',
        answers: [{ question: 'Run it?', answer: ['Approve'] }],
      },
      item: answer,
    });
  });
  it('of a cancelled prompt: the reason, no answers, no item', () => {
    expect(outcomeMessage(THREAD, cancelled(), undefined)).toStrictEqual({
      message_id: `${PROMPT_ID}.cancelled`,
      type: 'prompt_cancelled',
      thread: THREAD,
      request_id: 'req_1',
      prompt: { prompt_id: PROMPT_ID, kind: 'approval', prompt_state: 'cancelled', reason: 'the run ended' },
    });
  });
  it.each([{ turn: 1 }, 'x', 0, null, false])('with its session as it came: %j', (session) => {
    expect(outcomeMessage(THREAD, answered({ session }), answer)).toMatchObject({ session });
    expect(outcomeMessage(THREAD, cancelled({ session }), undefined)).toMatchObject({ session });
  });
  it('never without the answering item: there is nothing true to say then', () => {
    expect(() => outcomeMessage(THREAD, answered(), undefined)).toThrow(
      `the answering item of ${PROMPT_ID} is not at hand`,
    );
  });
});

describe('a next turn', () => {
  it('is one item', () => {
    expect(nextTurnMessage(THREAD, answer, undefined)).toStrictEqual({
      message_id: 'itm_1.turn',
      type: 'next_turn',
      thread: THREAD,
      item: answer,
    });
  });
  it('says which prompt it came too late for (A5)', () => {
    expect(nextTurnMessage(THREAD, answer, OTHER_PROMPT_ID)).toMatchObject({ stale_for: OTHER_PROMPT_ID });
  });
});

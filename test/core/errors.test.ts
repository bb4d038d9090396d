import { expect, it } from 'vitest';
import {
  LostRaceError,
  NotFinishedYetError,
  NotOpenYetError,
  PermanentFault,
  SlotTooLargeError,
  ThreadHostError,
  ThreadUnreadableError,
  UnknownRecordVersionError,
} from '#core/errors.ts';

it.each([
  ['LostRaceError', LostRaceError],
  ['NotFinishedYetError', NotFinishedYetError],
  ['NotOpenYetError', NotOpenYetError],
  ['PermanentFault', PermanentFault],
  ['SlotTooLargeError', SlotTooLargeError],
  ['ThreadHostError', ThreadHostError],
  ['ThreadUnreadableError', ThreadUnreadableError],
  ['UnknownRecordVersionError', UnknownRecordVersionError],
])('%s tells its name, which is what logs show', (name, ErrorClass) => {
  const error = new ErrorClass('why');
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.message]).toEqual([name, 'why']);
});

it('a ThreadHostError has the status where the host answered at all', () => {
  expect(new ThreadHostError('x', 413).status).toBe(413);
  expect(new ThreadHostError('x').status).toBeUndefined();
});

/** The record of a thread would pass DynamoDB's 400 KB; nothing was written. */
export class SlotTooLargeError extends Error {
  override name = 'SlotTooLargeError';
}

/** A record of a version that this code does not know, written by a newer deployment: wait, do not guess. */
export class UnknownRecordVersionError extends Error {
  override name = 'UnknownRecordVersionError';
}

/** The thread host did not do what was asked; `status` where it answered at all. */
export class ThreadHostError extends Error {
  override name = 'ThreadHostError';
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** What can never succeed however often it is tried: it is parked, not retried (protocol step 9). */
export class PermanentFault extends Error {
  override name = 'PermanentFault';
}

/** The question that this item may answer is still on its way to the thread (decisions.md A2). */
export class NotOpenYetError extends Error {
  override name = 'NotOpenYetError';
}

/** Another worker is, or was, at the prompt that this item answered: its message is kept until that is finished or marked. */
export class NotFinishedYetError extends Error {
  override name = 'NotFinishedYetError';
}

/** Somebody else wrote in between, and what to do must be decided again by the caller. */
export class LostRaceError extends Error {
  override name = 'LostRaceError';
}

/** The thread could not be surveyed; what the table knows of it is good all the same. */
export class ThreadUnreadableError extends Error {
  override name = 'ThreadUnreadableError';
}

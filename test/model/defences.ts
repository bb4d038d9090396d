/**
 * Every defence of the protocol, each a switch: with all of them on no invariant breaks, and the test of each one takes
 * it away and demands that the checker finds out (I20).
 */
export const DEFENCES = {
  orderFence: 'an item answers only a question posted before it (A1)',
  conditionalWrite: 'a slot is saved only over the one that was read',
  readAgain: 'a lost write says nothing: read and decide again',
  answeredBy: 'an item that answered an unfinished prompt is known by it (5a)',
  receipt: 'an item that was used is known by its receipt (5b, A4)',
  waitWhilePosting: 'an item waits while a question is being posted (5c, A2)',
  staleNames: 'an item that names another prompt does not answer (A5)',
  rememberQuestions: 'the item of a question is known before it opens, so that a reply names its prompt (A5)',
  allowedUsers: 'only an allowed user answers (A6)',
  ignoreOwnItems: 'our own items are no answers and no next turns (I8)',
  notifyBeforeAudit: 'the audit item is posted after the runner was told (P9, I3)',
  claimBeforeAudit: 'one worker at a time posts the audit item',
  ownClaim: 'a claim is ended by the worker that holds it, by nobody else',
  postWithinClaim: 'no post is begun that cannot end within its claim',
  lookBeforeRepost: 'an audit item is looked for before it is posted again',
  waitForUnknownAudit: 'after a post of unknown outcome the audit item is only looked for, for a while',
  unendedClaim: 'a claim that ran out without an end counts as a post of unknown outcome',
  outbox: 'a superseded prompt stays in the slot until it is finished (P5)',
  durableBeforeDelete: 'a message is deleted after its settlement is durable',
  keepMessage: 'the message of an answer is deleted only when its prompt is finished, or marked for the reconciler',
  historyBeforeDrop: 'history and receipt are kept before a prompt leaves the slot',
  sendBeforeReceipt: 'a next turn is sent before its receipt is written',
  lookBeforeGivingUp: 'a question left posting is looked for before it is given up (P7)',
  watchLateLanding: 'a question given up is watched for, and cancelled where it lands late (P7)',
  lookBeforeAskingAgain: 'a raise that comes again looks for its question before it posts it',
  postingClaim: 'a raise leaves the posting of another one alone while it is at work',
  idempotentRaise: 'the same request raises the same prompt (P1)',
  loserIsTold: 'a cancel that lost reads what won (P6, I19)',
  dropOnlyAsSeen: 'a question given up leaves the slot only while it is still given up',
  historyForward: 'an older record never replaces a settled or acknowledged one in the history',
  askedAfterAll: 'a raise whose question was opened meanwhile does not answer "unavailable"',
  givenUpIsFinal:
    'a question given up is never asked again by its request; one left posting is taken over as it stands',
  ownAttempt: 'a posting is withdrawn only as the attempt that was looked at',
  slotReadFirst: 'the history is read after the slot: a prompt is kept there before it is dropped from the slot',
  receiptReadAgain: 'a next turn is sent only where its receipt is still not there after the slot was read',
  adoptUnknown: 'a question is adopted only over a slot and a history that do not know it (P10)',
  adoptInOrder: 'an adopted question does not supersede a later one (P10)',
  reconciler: 'what a crash left is finished without a new item or call',
  attachTellsOutcomes: 'attach returns the outcomes that nobody acknowledged (I18)',
} as const;

export type Defence = keyof typeof DEFENCES;
export type Defences = Readonly<Record<Defence, boolean>>;

const names = Object.keys(DEFENCES) as Defence[];

export const ALL_ON = Object.fromEntries(names.map((name) => [name, true])) as Defences;
export const without = (...off: Defence[]): Defences => ({
  ...ALL_ON,
  ...Object.fromEntries(off.map((name) => [name, false])),
});

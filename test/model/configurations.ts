import type { Configuration } from './configuration.ts';

const ONE = [{ text: 'one' }];
const TWO = [{ text: 'one' }, { text: 'two' }];
const alone = { items: ONE, requests: 1, workers: 1 };

/** Small ones, each for a kind of trouble: together they go further than one large one could. */
export const SMALL = {
  twoItems: { ...alone, name: 'two items, a crash', items: TWO, workers: 2, faults: { crash: 1 } },
  twoPrompts: { ...alone, name: 'two prompts, a crash', items: [], requests: 2, faults: { crash: 1 } },
  duplicate: { ...alone, name: 'a late duplicate, a crash', faults: { duplicate: 1, crash: 1 } },
  stall: { ...alone, name: 'a stall, a crash', workers: 2, faults: { stall: 1, crash: 1 } },
  lapse: { ...alone, name: 'two workers on a message', workers: 2, faults: { lapse: 1, lostReply: 1 } },
  unsent: { ...alone, name: 'so, and the queue fails', workers: 2, faults: { lapse: 1, unsent: 1, stall: 1 } },
  torn: { ...alone, name: 'a read is torn, two workers', workers: 2, faults: { torn: 1, lapse: 1 } },
  cancel: { ...alone, name: 'a cancel races an answer', cancels: [0], faults: { lostReply: 1 } },
  retry: { ...alone, name: 'a raise comes again, a crash', attempts: 2, faults: { crash: 1 } },
  overlap: { ...alone, name: 'raises overlap', attempts: 2, overlapping: true, faults: { refusedPost: 1, stall: 1 } },
  unreachable: { ...alone, name: 'host and queue fail', faults: { unreadable: 1, unsent: 1, lostPost: 1 } },
  cutPost: { ...alone, name: 'a process dies in a post', echoes: true, faults: { cutPost: 1 } },
  cutPostAndStall: { ...alone, name: 'so, and a stall', items: [], echoes: true, faults: { cutPost: 2, stall: 1 } },
  latePost: { ...alone, name: 'a post lands late', echoes: true, faults: { latePost: 1 } },
  restart: { ...alone, name: 'the runner restarts', acknowledges: true, attaches: 1, faults: { restart: 1 } },
  lostTable: {
    ...alone,
    name: 'table lost, raise and attach',
    items: [],
    requests: 2,
    attaches: 1,
    faults: { tableLost: 1 },
  },
  names: {
    ...alone,
    name: 'items name their prompts',
    items: [
      { text: 'one', names: 0 },
      { text: 'two', repliesTo: 0 },
    ],
    requests: 2,
    faults: {},
  },
  allowedUsers: {
    ...alone,
    name: 'some may not answer',
    items: [{ text: 'one', user: 'usr_ben' }, { text: 'two' }],
    allowedUsers: ['usr_anna'],
    faults: {},
  },
} satisfies Record<string, Configuration>;

/** Too long for every run; each was explored to its end, or as far as memory went. `MODEL_DEEP=1` does it again. */
export const LARGE = {
  lostTable: { ...alone, name: 'table lost, two attach', attaches: 2, faults: { tableLost: 1 } },
  longStall: { ...alone, name: 'two stalls, two workers', workers: 2, faults: { lapse: 1, stall: 2 } },
  latePostAndRetry: {
    ...alone,
    name: 'late post, raise again, crash',
    attempts: 2,
    echoes: true,
    faults: { latePost: 1, crash: 1 },
  },
  latePostAndStall: { ...alone, name: 'late post, stall', echoes: true, faults: { latePost: 1, stall: 1 } },
  latePosts: { ...alone, name: 'two late posts', echoes: true, faults: { latePost: 2 } },
  restart: {
    ...alone,
    name: 'restart, stall, two workers',
    workers: 2,
    acknowledges: true,
    attaches: 1,
    faults: { restart: 1, stall: 1, lapse: 1 },
  },
  twoPromptsAndItem: { ...alone, name: 'two prompts, item, crash', requests: 2, faults: { crash: 1 } },
  twoByTwo: { ...alone, name: 'two items, two prompts', items: TWO, requests: 2, faults: {} },
  twoByTwoAndCrash: { ...alone, name: 'so, and a crash', items: TWO, requests: 2, faults: { crash: 1 } },
} satisfies Record<string, Configuration>;

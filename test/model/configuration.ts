/** What can go wrong, and how often in one configuration; what is not named never does. */
export type Fault =
  | 'crash' /** of any process, between any two side effects */
  | 'cutPost' /** a process dies during a post, which is carried out later or never */
  | 'stall' /** a process stands still until a claim or a pause has run out */
  | 'duplicate' /** a webhook is delivered again, however late */
  | 'lapse' /** a message's visibility runs out: a second worker gets it too */
  | 'torn' /** receipts or history are read a moment before the slot: a read of several records is no snapshot */
  | 'lostReply' /** a save is applied, and reported as a lost condition */
  | 'refusedPost'
  | 'lostPost' /** a post without a reply, carried out or not */
  | 'latePost' /** a post without a reply, carried out later or never */
  | 'unsent' /** the runner's queue does not take a message */
  | 'unreadable' /** the thread cannot be read */
  | 'restart' /** the runner loses its memory */
  | 'tableLost' /** with nothing going on and nothing owed, the table is empty: a new deployment */;

/** A user's item: what it says, and the request whose prompt it names or replies to. */
export type ItemTemplate = { text: string; names?: number; repliesTo?: number; user?: string };

export type Configuration = {
  name: string;
  items: readonly ItemTemplate[];
  /** Prompts that the agent raises; how often each call may be made, and whether before the last one ended. */
  requests: number;
  attempts?: number;
  overlapping?: boolean;
  allowedUsers?: string[];
  /** Requests whose prompt the runner cancels. */
  cancels?: readonly number[];
  workers: number;
  /** Webhooks of our own items come too. */
  echoes?: boolean;
  /** The runner acknowledges outcomes; runners that attach, at once, after a restart or a lost table. */
  acknowledges?: boolean;
  attaches?: number;
  faults: Readonly<Partial<Record<Fault, number>>>;
};

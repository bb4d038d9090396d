/** Every metric that the functions emit, and what one of it tells. Names that end in `Ms` are milliseconds, others counts. */
export const METRICS = {
  WebhookAccepted: 'an inbound item was queued',
  WebhookIgnored: 'a signed webhook that never matters',
  WebhookMalformed: 'a signed webhook that is not of the shape',
  SignatureInvalid: 'a webhook that nobody with a secret of ours signed',
  SecretsUnusable: 'the webhook secrets could not be read, so nothing could be checked',
  EnqueueFailure: 'the queue did not take an item; the host sends it again',

  Answered: 'an item settled a prompt',
  NextTurn: 'an item went on as a next turn, for one of the reasons below',
  NoOpenPrompt: 'nothing was asked',
  WrittenBeforeTheQuestion: 'the order fence: the item is older than the question',
  NamesAnotherPrompt: 'the item names another prompt than the open one',
  NotAllowed: 'its author may not answer this prompt',
  NoText: 'nothing in it to hand back, but other content',
  AnswerTooLarge: 'its answers would not fit the record',
  Ignored: 'an item that changed nothing, for one of the reasons below',
  Duplicate: 'the item was used before',
  OwnItem: 'we posted it',
  TypedItem: 'a program posted it',
  EmptyItem: 'there is nothing in it',

  MappedStructured: 'a question answered by the structured set',
  MappedToken: 'an approval by one of the seven words',
  MappedDenyByDefault: 'an approval answered with anything else',
  MappedNumber: 'a question answered by a number of the list',
  MappedLabel: 'a question answered by a label',
  MappedText: 'a free-text question answered',
  MappedOther: "a question with options answered in the person's own words",
  StructuredRefused: 'a structured set that did not pass, its text was mapped instead',
  TimeToAnswerMs: "from the question to its answer, by the host's clock",

  WriteLost: 'a conditional write met another one: read and decided again',
  ItemRetried: 'an item could not be resolved now and comes again',
  Parked: 'a message that can never be handled',
  OwnUserUnknown: 'the host did not tell whose key we hold, so nothing could answer',
  NotifyFailure: 'the runner could not be told of an outcome; it is tried again',
  AuditFailure: 'the audit item could not be posted; it is tried again',

  PromptRaised: 'a question was asked',
  PromptUnavailable: 'a question could not be asked',
  PromptCancelled: 'the runner cancelled a prompt',
  PromptAdopted: 'a prompt was rebuilt from its thread',

  ReconcilerRuns: 'the reconciler ran to its end',
  PromptsOpen: 'now, counted up to 1,000',
  OldestOpenMs: 'age of the oldest open question',
  ThreadsUnfinished: 'threads with something owed, counted up to 1,000',
  OldestUnnotifiedMs: 'since when a runner is to be told of an outcome',
  OldestUnauditedMs: 'since when a thread is owed an audit item',
  OutcomesUnacknowledged: 'outcomes that no agent said it has, counted up to 1,000',
  OldestUnacknowledgedMs: 'age of the oldest of these',
} as const;

export type MetricName = keyof typeof METRICS;
export type Metrics = Partial<Record<MetricName, number>>;

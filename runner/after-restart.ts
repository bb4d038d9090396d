/** What the model reads when its turn goes on after its process was lost. */
export const AFTER_RESTART =
  'The agent runner was restarted. A tool call that was waiting for a person did not run: make exactly the same call again; its question is still open, and an answer given meanwhile counts. Of any other interrupted call, look first what it did.';

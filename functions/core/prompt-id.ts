const PROMPT_ID = /^prm_[0-9A-HJKMNP-TV-Z]{26}$/;
/** The random part of a ULID. */
const REQUEST_KEY_LENGTH = 16;

/** `prm_` and a ULID: the only ids that are minted here (decisions.md T1). */
export function isPromptId(text: string): boolean {
  return PROMPT_ID.test(text);
}

/** What names a prompt within its thread in the history: the half of its id that its request decides. */
export function requestKeyOf(prompt_id: string): string {
  return prompt_id.slice(-REQUEST_KEY_LENGTH);
}

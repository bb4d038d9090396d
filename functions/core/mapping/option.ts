import type { Option } from '#core/prompt.ts';

/** A question's options by number and by label; both return the option's own spelling of its label. */
export type OptionIndex = {
  /** A bare number `N`, within the list (decisions.md M3). */
  byNumber(token: string): string | undefined;
  /**
   * The exact label, else the first that is the same but for white space around it, else but for case too: both serve
   * comparison only (decisions.md M1, M4).
   */
  byLabel(text: string): string | undefined;
};

/** Made once for a question and a text, because a text of commas is 100,000 tokens. */
export function indexOptions(options: Option[]): OptionIndex {
  const labels = options.map(({ label }) => label);
  const exact = firstBy(labels, (label) => label);
  const trimmed = firstBy(labels, (label) => label.trim());
  const folded = firstBy(labels, (label) => label.trim().toLowerCase());
  return {
    byNumber: (token) => (isBareNumber(token) ? labels[Number(token) - 1] : undefined),
    byLabel(text) {
      const bare = text.trim();
      return exact.get(text) ?? trimmed.get(bare) ?? folded.get(bare.toLowerCase());
    },
  };
}

/** ASCII digits without a leading zero, and nothing else: `01`, `+2`, `1.`, `２` are no numbers (decisions.md M3). */
export function isBareNumber(token: string): boolean {
  return /^[1-9][0-9]*$/.test(token);
}

/** A Map, not an object: a label may be `__proto__`. Of two labels with one key the first stays. */
function firstBy(labels: string[], keyOf: (label: string) => string): Map<string, string> {
  return new Map(labels.toReversed().map((label) => [keyOf(label), label]));
}

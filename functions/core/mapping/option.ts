import type { Option } from '#core/prompt.ts';

/** A bare number `N`: ASCII digits without a leading zero, within the list (decisions.md M3). */
export function matchNumber(options: Option[], text: string): string | undefined {
  const token = text.trim();
  return /^[1-9][0-9]*$/.test(token) ? options[Number(token) - 1]?.label : undefined;
}

/**
 * The label that a text means, in the option's own spelling: the exact one, else the first that is the same without
 * regard to case and white space around it, which serve comparison only (decisions.md M1, M4).
 */
export function matchLabel(options: Option[], text: string): string | undefined {
  const labels = options.map(({ label }) => label);
  const same = (fold: (label: string) => string) => labels.find((label) => fold(label) === fold(text));
  return same((label) => label) ?? same((label) => label.trim()) ?? same((label) => label.trim().toLowerCase());
}

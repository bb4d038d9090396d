/**
 * Whether a pattern stands for a whole sequence, where `any` in it stands for any number of entries. Its time grows with
 * the product of both lengths at most, whatever an agent writes: a regular expression's does not.
 */
export function matches<T>(
  pattern: readonly T[],
  sequence: readonly T[],
  any: T,
  isSame: (expected: T, given: T) => boolean = (expected, given) => expected === given,
): boolean {
  let at = 0;
  let lastAny = -1;
  let resumeAt = 0;
  for (let reached = 0; reached < sequence.length; ) {
    const expected = pattern[at];
    if (at < pattern.length && expected === any) {
      lastAny = at++;
      resumeAt = reached;
    } else if (at < pattern.length && isSame(expected as T, sequence[reached] as T)) {
      at++;
      reached++;
    } else if (lastAny >= 0) {
      at = lastAny + 1;
      reached = ++resumeAt;
    } else return false;
  }
  return pattern.slice(at).every((expected) => expected === any);
}

/** Whether a text is what a pattern says, where `*` stands for any characters. */
export function matchesText(pattern: string, text: string): boolean {
  return matches([...pattern], [...text], '*');
}

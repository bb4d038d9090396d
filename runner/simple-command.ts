/** What a shell takes as it stands: no expansion, no operator, no quoting begins with one of these. */
const PLAIN = /[A-Za-z0-9_@%+=:,./-]/;
/** Neither a variable nor a command is in there, and nothing that ends the quotes. */
const PLAIN_IN_DOUBLE_QUOTES = /[^"$`\\!\p{Cc}\u2028\u2029]/u;
const PLAIN_IN_SINGLE_QUOTES = /[^'\p{Cc}\u2028\u2029]/u;

/**
 * The words of a POSIX shell's command line, where it is one simple command of words that mean themselves. Everything
 * else is `undefined`, since nobody here can say what would run: `;` `&` `|` and line breaks, `$` and backticks,
 * redirections, globs, braces, tildes, backslashes, comments, subshells, and variables set before the command.
 */
export function simpleCommand(command: string): string[] | undefined {
  const words: string[] = [];
  const characters = [...command];
  for (let at = 0; at < characters.length; ) {
    if (isBlank(characters[at])) {
      at++;
      continue;
    }
    const word = readWord(characters, at);
    if (!word) return undefined;
    words.push(word.text);
    at = word.end;
  }
  const [first] = words;
  // `A=1 npm test` runs with another A; zsh replaces `=npm` by a path.
  return first === undefined || first.includes('=') || words.some((word) => word.startsWith('=')) ? undefined : words;
}

function readWord(characters: string[], start: number): { text: string; end: number } | undefined {
  let text = '';
  let at = start;
  while (at < characters.length && !isBlank(characters[at])) {
    const character = characters[at] ?? '';
    if (character === "'" || character === '"') {
      const end = characters.indexOf(character, at + 1);
      if (end < 0) return undefined;
      const quoted = characters.slice(at + 1, end);
      const plain = character === '"' ? PLAIN_IN_DOUBLE_QUOTES : PLAIN_IN_SINGLE_QUOTES;
      if (!quoted.every((each) => plain.test(each))) return undefined;
      text += quoted.join('');
      at = end + 1;
    } else if (PLAIN.test(character)) {
      text += character;
      at++;
    } else return undefined;
  }
  return { text, end: at };
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

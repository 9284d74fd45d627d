/** The callbacks of a command line parser, called in the order of the words. Each may throw to refuse its argument. */
export interface CommandLine {
  /** The value of a flag without `=`; undefined = the next word is the value. Called once for each such flag. */
  bare(name: string): string | undefined;
  /** Called for a flag and its value; undefined = the flag needs a value and there is none. */
  flag(name: string, value: string | undefined): void;
  /** Called for a word that is not a flag. */
  argument(word: string): void;
  /** The flag for a letter, for `-v3`, `-v=3` and `-v 3`. If absent, one dash means the same as two, as in Go's package flag. */
  shorthand?(letter: string, word: string): string;
  /** Whether a word may be the value of the flag before it. If absent, any word may be. */
  isValue?(word: string): boolean;
}

/**
 * Parses `--flag=value`, `--flag value`, `--flag` and shorthands.
 * Sources: https://pkg.go.dev/github.com/spf13/pflag, https://pkg.go.dev/flag
 */
export function readCommandLine(words: readonly string[], line: CommandLine): void {
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const written = splitWord(word, line);
    if (written === undefined) {
      line.argument(word);
      continue;
    }
    let { value } = written;
    value ??= line.bare(written.name);
    if (value === undefined) {
      const next = words[i + 1];
      if (next !== undefined && (line.isValue?.(next) ?? true)) {
        value = next;
        i++;
      }
    }
    line.flag(written.name, value);
  }
}

interface WrittenFlag {
  readonly name: string;
  readonly value?: string;
}

function splitWord(word: string, line: CommandLine): WrittenFlag | undefined {
  if (!word.startsWith('-') || word === '-') return undefined;
  if (word.startsWith('--') && word.length > 2) return splitLong(word.slice(2));
  if (line.shorthand === undefined) return splitLong(word.slice(1));
  const name = line.shorthand(word.charAt(1), word);
  const rest = word.slice(2);
  return rest === '' ? { name } : { name, value: rest.startsWith('=') ? rest.slice(1) : rest };
}

function splitLong(text: string): WrittenFlag {
  const equals = text.indexOf('=');
  return equals < 0 ? { name: text } : { name: text.slice(0, equals), value: text.slice(equals + 1) };
}

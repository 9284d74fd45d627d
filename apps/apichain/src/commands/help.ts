import type { Command, Flag } from './command.ts';

const width = 100;

/** The output of `apichain --help`. */
export function overview(commands: readonly Command[]): string {
  const longest = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  apichain ${name.padEnd(longest)}   ${summary}`);
  return `apichain runs the Kubernetes API server chain.

${lines.join('\n')}

\`apichain COMMAND --help\` describes a command, with examples.
`;
}

/** The output of `apichain COMMAND --help`. */
export function helpOf({ name, usage, description, flags, examples, summary }: Command): string {
  const parts = [`apichain ${name} ${usage}`.trimEnd(), `${summary}.`, wrap(description)];
  if (flags.length > 0) parts.push(`Flags:\n${flagLines(flags).join('\n')}`);
  if (examples.length > 0)
    parts.push(`Examples:\n${examples.map(([line, does]) => `  # ${does}\n  ${line}`).join('\n\n')}`);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function flagLines(flags: readonly Flag[]): string[] {
  const left = flags.map(
    ({ name, short, value }) =>
      `  ${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
  );
  const column = Math.max(...left.map((text) => text.length)) + 3;
  return flags.map((flag, index) => {
    const text = flag.default === undefined ? flag.summary : `${flag.summary} (${flag.default})`;
    const lines = wrap(text, width + 20 - column).split('\n');
    return `${(left[index] ?? '').padEnd(column)}${lines.join(`\n${' '.repeat(column)}`)}`;
  });
}

/** Wraps paragraphs at `columns` characters. Lines that begin with a space are not changed. */
function wrap(text: string, columns = width): string {
  return text
    .split('\n')
    .flatMap((paragraph) => {
      if (paragraph.startsWith(' ')) return [paragraph];
      const lines = [''];
      for (const word of paragraph.split(' ')) {
        const last = lines.at(-1) ?? '';
        if (last !== '' && last.length + 1 + word.length > columns) lines.push(word);
        else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
      }
      return lines;
    })
    .join('\n');
}

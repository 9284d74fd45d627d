import type { Command, Flag } from '../commands/command.ts';

export function fishScript(commands: readonly Command[]): string {
  return `# fish completion of apichain
# The names of chains, which have a folder each.
function __apichain_chains
  set -l data "$XDG_DATA_HOME"
  test -n "$data"; or set data ~/.local/share
  for folder in $data/apichain/*/
    basename $folder
  end
end
complete -c apichain -f
${commands.map(({ name, summary }) => `complete -c apichain -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`).join('\n')}
${commands.flatMap(commandLines).join('\n')}
`;
}

const directories = '(__fish_complete_directories)';
const chains = '(__apichain_chains)';

function commandLines({ name, flags, arguments: words = [] }: Command): string[] {
  const condition = `complete -c apichain -n '__fish_seen_subcommand_from ${name}'`;
  const values = words
    .filter(({ complete }) => complete !== 'none')
    .map(
      (word) =>
        `${condition} ${word.complete === 'file' ? '-F' : `-a '${word.complete === 'chain' ? chains : (word.values?.join(' ') ?? directories)}'`}`,
    );
  return [...values, ...flags.map((flag) => `${condition} -l ${flag.name} ${options(flag)}`)];
}

function options({ summary, value, complete }: Flag): string {
  const text = `-d ${quote(summary)}`;
  if (value === undefined) return text;
  if (complete === 'file') return `-r -F ${text}`;
  if (complete === 'directory') return `-x -a '${directories}' ${text}`;
  return `-x ${complete === undefined ? '' : `-a '${complete === 'chain' ? chains : complete.join(' ')}' `}${text}`;
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

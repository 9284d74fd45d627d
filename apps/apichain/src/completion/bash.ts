import type { Command, Flag } from '../commands/command.ts';

/** Returns a completion script that requires only bash 3.2. */
export function bashScript(commands: readonly Command[]): string {
  return `# bash completion of apichain
# The names of chains, which have a folder each. A folder of another name is not one: the shell would expand it.
_apichain_chains() {
  local folder
  for folder in "\${XDG_DATA_HOME:-$HOME/.local/share}"/apichain/*/; do
    folder="\${folder%/}"
    case "\${folder##*/}" in
      *[!a-z0-9-]*) ;;
      *) echo "\${folder##*/}" ;;
    esac
  done
}
_apichain() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words="" directories="" files=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} help" -- "$cur"))
    return
  fi
  case "$command $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
${commands.map(flagCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  # Not among the words, which the shell would expand.
  if [ -n "$directories" ]; then COMPREPLY+=($(compgen -d -- "$cur")); fi
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$cur")); fi
}
complete -F _apichain apichain
`;
}

/** The completion cases for flags that take a value. */
function valueCases({ name, flags }: Command): string[] {
  return flags
    .filter(({ value }) => value !== undefined)
    .map((flag) => `    "${name} --${flag.name}") ${valueReply(flag)}; return ;;`);
}

function valueReply({ complete }: Flag): string {
  if (complete === undefined) return ':';
  const what = complete === 'file' ? '-f' : complete === 'directory' ? '-d' : `-W "${wordsOf(complete)}"`;
  return `COMPREPLY=($(compgen ${what} -- "$cur"))`;
}

const wordsOf = (complete: 'chain' | readonly string[]): string =>
  complete === 'chain' ? '$(_apichain_chains)' : complete.join(' ');

/** The words that a command takes: the values of its arguments and its flags; and whether it takes a directory or a file. */
function flagCase({ name, flags, arguments: all = [] }: Command): string {
  const words = [
    ...all.flatMap(({ values = [], complete }) => (complete === 'chain' ? wordsOf(complete) : values)),
    ...flags.map((flag) => `--${flag.name}`),
  ];
  const takesDirectory = all.some(({ values, complete }) => values === undefined && complete === undefined);
  const takesFile = all.some(({ complete }) => complete === 'file');
  return `    ${name}) words="${words.join(' ')}"${takesDirectory ? ' directories=1' : ''}${takesFile ? ' files=1' : ''} ;;`;
}

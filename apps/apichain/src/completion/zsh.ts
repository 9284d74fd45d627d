import type { Argument, Command, Flag } from '../commands/command.ts';

/** Returns a completion script that works both as a file on the $fpath and when sourced. */
export function zshScript(commands: readonly Command[]): string {
  return `#compdef apichain
# The names of chains, which have a folder each.
_apichain_chains() {
  local -a names
  names=(\${XDG_DATA_HOME:-$HOME/.local/share}/apichain/*(N/:t))
  compadd -a names
}
_apichain() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_apichain" ]; then _apichain "$@"; else compdef _apichain apichain; fi
`;
}

function commandCase({ name, flags, arguments: words = [] }: Command): string {
  const specs = flags.map((flag) => quote(`${flag.list === true ? '*' : ''}--${flag.name}${description(flag)}`));
  for (const [index, word] of words.entries())
    specs.push(quote(`${word.many === true ? '*' : index + 1}:${word.name}:${argumentAction(word)}`));
  return `    ${name}) _arguments ${specs.join(' ')} ;;`;
}

function argumentAction({ values, complete }: Argument): string {
  if (values !== undefined) return `(${values.join(' ')})`;
  if (complete === undefined) return '_files -/';
  return complete === 'file' ? '_files' : complete === 'chain' ? '_apichain_chains' : ' ';
}

function description({ summary, value, complete }: Flag): string {
  const text = `[${summary.replaceAll(/[[\]:\\]/g, ' ')}]`;
  if (value === undefined) return text;
  const action =
    complete === undefined
      ? ' '
      : complete === 'file'
        ? '_files'
        : complete === 'directory'
          ? '_files -/'
          : complete === 'chain'
            ? '_apichain_chains'
            : `(${complete.join(' ')})`;
  return `=${text}:${value.replaceAll(':', ' ')}:${action}`;
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

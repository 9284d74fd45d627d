import { readCommandLine } from '@apichain/go-text';
import { didYouMean } from '@apichain/meta';
import { StartupError } from '@apichain/chain/setup';
import type { Argument, Command, CommandArguments, Flag } from './command.ts';

/** Parses the arguments of a command. Throws StartupError with a one-line message for a flag or argument that the command does not have. */
export function parseArguments(command: Command, args: readonly string[]): CommandArguments {
  const values = new Map<string, string[]>();
  const rest: string[] = [];
  const see = `(see apichain ${command.name} --help)`;
  const definitionOf = (name: string): Flag => {
    const flag = command.flags.find((known) => known.name === name || known.short === name);
    if (flag !== undefined) return flag;
    const names = command.flags.map((known) => known.name);
    throw new StartupError(`unknown flag: --${name}${didYouMean(name, names, '--')} ${see}`);
  };
  readCommandLine(args, {
    bare: (name) => (definitionOf(name).value === undefined ? 'true' : undefined),
    flag: (name, value) => {
      const flag = definitionOf(name);
      if (value === undefined) throw new StartupError(`--${name} needs a value: --${name} ${flag.value ?? ''} ${see}`);
      values.set(flag.name, [...(values.get(flag.name) ?? []), ...valuesOf(flag, value)]);
    },
    argument: (word) => rest.push(word),
  });
  for (const [index, word] of rest.entries()) {
    const argument = argumentAt(command, index);
    if (argument === undefined) throw new StartupError(`unexpected argument: ${word} ${see}`);
    const { name, values: allowed } = argument;
    if (allowed !== undefined && !allowed.includes(word))
      throw new StartupError(`${name}: "${word}" is not one of ${allowed.join(', ')} ${see}`);
  }
  const flagOf = (name: string) => command.flags.find((flag) => flag.name === name);
  return {
    raw: args,
    arguments: rest,
    string: (name) => values.get(name)?.at(-1) ?? flagOf(name)?.default,
    list: (name) => values.get(name) ?? [],
    boolean: (name) => (values.get(name)?.at(-1) ?? 'false') === 'true',
  };
}

function argumentAt({ arguments: all = [] }: Command, index: number): Argument | undefined {
  const last = all.at(-1);
  return all[index] ?? (last?.many === true ? last : undefined);
}

const booleans: readonly string[] = ['true', 'false'];

function valuesOf(flag: Flag, value: string): string[] {
  const allowed = flag.value === undefined ? booleans : flag.complete;
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    const names = allowed.join(', ');
    throw new StartupError(
      `--${flag.name}: "${value}" is not ${names === booleans.join(', ') ? 'true or false' : `one of ${names}`}`,
    );
  }
  return flag.list === true ? value.split(',').filter((part) => part !== '') : [value];
}

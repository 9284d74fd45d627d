import type { Container } from '@apichain/api/core/v1';

const shell = /^(?:\/bin\/)?(?:ba|a)?sh$/;

/** The words of a command line without operators, without their quotes. */
export const plainWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([whole, double, single]) => double ?? single ?? whole);

/**
 * The statements that the command of a container runs one after another, as words: the command itself, or those of a script of `sh -c` without variables,
 * pipes and conditions. Undefined for another script; none for a container without a command.
 */
export function statementsOf({ command, args }: Container): readonly (readonly string[])[] | undefined {
  const [first = '', ...rest] = [...(command ?? []), ...(args ?? [])];
  if (first === '') return [];
  if (!shell.test(first)) return [[first, ...rest]];
  const [flag, script] = rest;
  if (flag !== '-c' || script === undefined || /[$`|&<>(){}*]/.test(script.replaceAll('&&', ''))) return undefined;
  return script.split(/;|&&|\n/).map((statement) => plainWords(statement.trim()));
}

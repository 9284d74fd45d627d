import type { Container } from '@apichain/api/core/v1';

/** How long a container runs, in milliseconds, the code with which it exits, and what it prints meanwhile. */
interface Lifetime {
  readonly runMs: number;
  readonly exitCode: number;
  readonly output: readonly OutputLine[];
}

/** A line that a container prints. */
interface OutputLine {
  /** How long after its start, in milliseconds. */
  readonly afterMs: number;
  /** The line, without a line feed, if it is printed at a moment, in milliseconds since the epoch. */
  readonly at: (moment: number) => string;
}

const units: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The image whose program waits for signals, under any registry and tag. */
const pauseImage = /(?:^|\/)pause(?:[:@].*)?$/;

/** What commands print, by name. */
const printers: Readonly<Record<string, (words: readonly string[]) => OutputLine['at']>> = {
  echo: (words) => () => words.slice(words[0] === '-n' ? 1 : 0).join(' '),
  date: () => dateText,
};
const silent: ReadonlySet<string> = new Set(['', 'true', ':', 'false']);

/**
 * The lifetime of a container whose command says it: `sleep 30`, `true`, `false`, `echo` and `date`, and `sh -c` with a sequence of these and `exit 3`. The
 * pause image runs for ever. Undefined for any other command, and for another container without one.
 */
export function commandLifetime(container: Container): Lifetime | undefined {
  const statements = statementsOf(container);
  if (statements === undefined) return undefined;
  if (statements.length > 0) return lifetimeOf(statements);
  return pauseImage.test(container.image ?? '') ? { runMs: Infinity, exitCode: 0, output: [] } : undefined;
}

/** The time that all statements take, up to the first that ends the script. */
function lifetimeOf(statements: readonly (readonly string[])[]): Lifetime | undefined {
  const output: OutputLine[] = [];
  let runMs = 0;
  let exitCode = 0;
  for (const [name = '', ...words] of statements) {
    if (name === 'exit') return { runMs, exitCode: Number(words[0] ?? exitCode) & 255, output };
    const print = Object.hasOwn(printers, name) ? printers[name] : undefined;
    if (name === 'sleep') {
      const time = sleepMs(words);
      if (time === undefined) return undefined;
      runMs += time;
    } else if (print !== undefined) output.push({ afterMs: runMs, at: print(words) });
    else if (!silent.has(name)) return undefined;
    exitCode = name === 'false' ? 1 : 0;
  }
  return { runMs, exitCode, output };
}

/** `infinity` is a time that never comes. */
function sleepMs(words: readonly string[]): number | undefined {
  const times = words.map((word) => {
    if (word === 'infinity' || word === 'inf') return Infinity;
    const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(word) ?? [];
    return amount === undefined ? NaN : Number(amount) * (units[unit] ?? NaN);
  });
  const total = times.reduce((sum, time) => sum + time, 0);
  return times.length === 0 || Number.isNaN(total) ? undefined : total;
}

/** `Thu Jan  1 00:00:00 UTC 1970`, as `date` prints it. */
function dateText(moment: number): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(moment).toUTCString().split(/,? /);
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}

const shell = /^(?:\/bin\/)?(?:ba|a)?sh$/;

/** The words of a command line without operators, without their quotes. */
export const plainWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([whole, double, single]) => double ?? single ?? whole);

/**
 * The statements that the command of a container runs one after another, as words: the command itself, or those of a script of `sh -c` without variables,
 * pipes and conditions. Undefined for another script; none for a container without a command.
 */
function statementsOf({ command, args }: Container): readonly (readonly string[])[] | undefined {
  const [first = '', ...rest] = [...(command ?? []), ...(args ?? [])];
  if (first === '') return [];
  if (!shell.test(first)) return [[first, ...rest]];
  const [flag, script] = rest;
  if (flag !== '-c' || script === undefined || /[$`|&<>(){}*]/.test(script.replaceAll('&&', ''))) return undefined;
  return script.split(/;|&&|\n/).map((statement) => plainWords(statement.trim()));
}

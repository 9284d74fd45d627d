import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { errorMessage } from '@apichain/meta';

/** An error in the arguments. The message is for the user; the usage follows it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A program of the tools. */
export interface Command<Options> {
  /** Precedes the message of an error. */
  readonly name: string;
  /** What `--help` and `-h` print. */
  readonly usage: string;
  /** Parses the command line, and reads the files that it names. Throws UsageError, and Error for a file. */
  readonly parse: (args: readonly string[]) => Options;
  /** Returns the exit code. Default: 0. */
  readonly run: (options: Options) => Promise<number | void>;
  /** The exit code when it cannot be done. Default: 2, because 1 tells of differences. */
  readonly failure?: number;
}

/** Parses the flags of a command line; `--no-NAME` is a boolean flag that is false. Throws UsageError. */
export const flags =
  <const Config extends ParseArgsOptionsConfig>(options: Config) =>
  (args: readonly string[]) =>
    orUsageError(() => parseArgs({ args, options, allowNegative: true })).values;

/** As `flags`, for a command line with so many arguments at least. */
export const flagsAndArguments =
  <const Config extends ParseArgsOptionsConfig>(least: number, options: Config) =>
  (args: readonly string[]) => {
    const { values, positionals } = orUsageError(() =>
      parseArgs({ args, options, allowPositionals: true, allowNegative: true }),
    );
    if (positionals.length < least) throw new UsageError(`${least - positionals.length} more arguments are needed`);
    return { values, arguments: positionals };
  };

function orUsageError<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}

/** The value of a flag that must be given. Throws UsageError. */
export function needed(flag: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${flag} is needed`);
  return value;
}

/** Runs a program with the command line of this process. Errors are printed in one line, those in the arguments with the usage. Sets the exit code. */
export async function runCommand<Options>({ name, usage, parse, run, failure = 2 }: Command<Options>): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return;
  }
  try {
    process.exitCode = (await run(parse(args))) ?? 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(isUsage ? `${errorMessage(error)}\n\n${usage}` : `${name}: ${errorMessage(error)}`);
    process.exitCode = isUsage ? 2 : failure;
  }
}

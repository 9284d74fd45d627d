/** A flag of a command, as used by help, completion and the parser. */
export interface Flag {
  /** The name without dashes. */
  readonly name: string;
  /** The letter of `-n`, if the flag has a short form. */
  readonly short?: string;
  /** The placeholder of the value in help, e.g. `DIR`. A flag without it is a switch. */
  readonly value?: string;
  /** What the flag does, in one or two lines. Help indents the lines after the first. */
  readonly summary: string;
  readonly default?: string;
  /** Whether the flag may be repeated, or have a comma-separated list as its value. */
  readonly list?: true;
  /** What shell completion offers for the value: `chain` = the names of chains. A list has all values that there are. */
  readonly complete?: 'file' | 'directory' | 'chain' | readonly string[];
}

/** An argument of a command that is not a flag: one of `values`, or else what `complete` says. */
export interface Argument {
  readonly name: string;
  readonly values?: readonly string[];
  /** What shell completion offers; `chain` = the names of chains, `none` = nothing. Default: directories. */
  readonly complete?: 'file' | 'chain' | 'none';
  /** Whether the last argument may be repeated. */
  readonly many?: true;
}

/** A command of `apichain`. Help, completion and the parser use only the table in `table.ts`. */
export interface Command {
  readonly name: string;
  /** What the command does, in one line without a full stop. */
  readonly summary: string;
  /** The arguments after the name, e.g. `[flags]`. */
  readonly usage: string;
  /** An introduction for new users, in paragraphs. */
  readonly description: string;
  readonly flags: readonly Flag[];
  /** Command lines with their effects. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** The arguments that are not flags, in their order. */
  readonly arguments?: readonly Argument[];
  /** The exit code when the command fails, also for arguments that it does not take. Default: 1. */
  readonly errorCode?: number;
  /** Set if the command parses its own arguments, because it passes on flags that are not in the table. */
  readonly passesFlagsOn?: true;
  /** Loads the implementation when the command is run. */
  readonly load: () => Promise<(args: CommandArguments) => Promise<void>>;
}

/** The arguments given to a command. */
export interface CommandArguments {
  /** All words after the command's name. */
  readonly raw: readonly string[];
  /** The arguments that are not flags. */
  readonly arguments: readonly string[];
  /** The value of a flag or its default. */
  string(flag: string): string | undefined;
  /** All values of a flag that may be repeated. */
  list(flag: string): readonly string[];
  boolean(flag: string): boolean;
}

/** A flag of a command, as help, completion and the parser see it. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** What stands for its value in help, e.g. `DIR`; a flag without one is a switch. */
  readonly value?: string;
  /** What it does, in a line or two; lines after the first are indented in help. */
  readonly summary: string;
  readonly default?: string;
  /** May be given several times, or as a list with commas. */
  readonly list?: true;
  /** What a shell offers for its value. */
  readonly complete?: 'file' | 'directory' | readonly string[];
}

/** A command of `apichain`. The table in `table.ts` is all that help, completion and the parser know. */
export interface Command {
  readonly name: string;
  /** What it does, in a line without a full stop. */
  readonly summary: string;
  /** What stands after the name, e.g. `[flags]`. */
  readonly usage: string;
  /** What a newcomer should know, in paragraphs. */
  readonly description: string;
  readonly flags: readonly Flag[];
  /** Command lines with what they do. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** Values of its one argument, where it takes one. */
  readonly argument?: { readonly name: string; readonly values: readonly string[] };
  /** Parses its own arguments, because it hands flags that are not in the table to others. */
  readonly passesFlagsOn?: true;
  /** Loads what the command runs, when it is run. */
  readonly load: () => Promise<(args: CommandArguments) => Promise<void>>;
}

/** What a user gave to a command. */
export interface CommandArguments {
  /** Everything after the command's name. */
  readonly raw: readonly string[];
  /** The argument that is not a flag. */
  readonly argument: string | undefined;
  /** The value of a flag or its default. */
  string(flag: string): string | undefined;
  /** All values of a flag that may be repeated. */
  list(flag: string): readonly string[];
  boolean(flag: string): boolean;
}

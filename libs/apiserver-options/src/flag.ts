/**
 * The syntax of a flag's value. `strings` may repeat and splits at commas, `namedCertKey` may repeat; `map` is `a=1,b=2` and may repeat; durations
 * are in Go's format.
 */
export type FlagType = 'string' | 'ip' | 'strings' | 'namedCertKey' | 'bool' | 'int' | 'float' | 'duration' | 'map';

/** One command line flag, with the name and meaning of kube-apiserver's flag. */
export interface FlagDefinition {
  readonly name: string;
  readonly type: FlagType;
  /** In the syntax of the command line; absent = empty, false or 0. */
  readonly default?: string;
  readonly usage: string;
  /** The heading in `--help`. */
  readonly section: string;
  /** One letter, as in `-v`. */
  readonly shorthand?: string;
  /** The value of the flag when none is given: `--version`. */
  readonly bare?: string;
  /**
   * Set for a flag that the server only accepts, so that one command line fits all servers: the servers of the chain in which it has an effect.
   * Its use causes a warning.
   */
  readonly effectIn?: readonly string[];
}

/** An invalid command line. The message is one line for the operator. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** Joins the definitions of several parts. Throws Error when two parts define the same name. */
export function joinFlags(...parts: readonly (readonly FlagDefinition[])[]): readonly FlagDefinition[] {
  const all = parts.flat();
  const seen = new Set<string>();
  for (const { name } of all) {
    if (seen.has(name)) throw new Error(`flag --${name} is defined twice`);
    seen.add(name);
  }
  return all;
}

/**
 * How the text of a flag is read. `strings` repeats and takes commas, `namedCertKey` repeats; `map` is `a=1,b=2` and repeats; durations
 * are Go's.
 */
export type FlagType = 'string' | 'ip' | 'strings' | 'namedCertKey' | 'bool' | 'int' | 'float' | 'duration' | 'map';

/** One command line flag, named and meant as kube-apiserver's. */
export interface FlagDefinition {
  readonly name: string;
  readonly type: FlagType;
  /** As it would be written on the command line; absent = empty, false or 0. */
  readonly default?: string;
  readonly usage: string;
  /** Heading in `--help`. */
  readonly section: string;
  /** One letter, as in `-v`. */
  readonly shorthand?: string;
  /** What the flag means without a value: `--version`. */
  readonly bare?: string;
  /** Known, so that scripts written for kube-apiserver work, but without effect: using it is only warned about. */
  readonly ignored?: boolean;
}

/** A command line that cannot be obeyed; the message is one line for the person who wrote it. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** Definitions of several parts together. Throws Error when two parts define one name. */
export function joinFlags(...parts: readonly (readonly FlagDefinition[])[]): readonly FlagDefinition[] {
  const all = parts.flat();
  const seen = new Set<string>();
  for (const { name } of all) {
    if (seen.has(name)) throw new Error(`flag --${name} is defined twice`);
    seen.add(name);
  }
  return all;
}

/** A pass over a document, which is measured after its argument has been made. */
export interface Pass {
  readonly name: string;
  readonly prepare: () => () => unknown;
}

export const pass = <T>(name: string, argument: () => T, run: (value: T) => unknown): Pass => ({
  name,
  prepare: () => {
    const value = argument();
    return () => run(value);
  },
});

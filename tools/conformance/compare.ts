import { isRecord } from '@apichain/meta';

/** A difference between two normalised responses. If only one side has a value, the member of the other side is absent. */
export interface Difference {
  /** The path within the response, e.g. `body.status.conditions[0].reason`. */
  readonly path: string;
  readonly reference?: unknown;
  readonly chain?: unknown;
}

/**
 * All differences between two JSON values, at the deepest possible paths. Members of objects are compared by name (their order does not
 * count), items of arrays by index.
 */
export function compare(reference: unknown, chain: unknown, path: string): Difference[] {
  if (Object.is(reference, chain)) return [];
  if (Array.isArray(reference) && Array.isArray(chain)) {
    const length = Math.max(reference.length, chain.length);
    return Array.from({ length }, (_, index) => compare(reference[index], chain[index], `${path}[${index}]`)).flat();
  }
  if (isRecord(reference) && isRecord(chain)) {
    const names = new Set([...Object.keys(reference), ...Object.keys(chain)]);
    return [...names].flatMap((name) => compare(reference[name], chain[name], pathOf(path, name)));
  }
  return [
    {
      path,
      ...(reference === undefined ? {} : { reference }),
      ...(chain === undefined ? {} : { chain }),
    },
  ];
}

const pathOf = (path: string, name: string) =>
  /^[\w-]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;

/**
 * Compares the order of the resource versions that both servers returned. Versions that only one server returned are found when the
 * responses are compared. Undefined when the order is the same.
 */
export function compareOrder(reference: readonly string[], chain: readonly string[]): Difference | undefined {
  const both = (own: readonly string[], other: readonly string[]) => own.filter((entry) => other.includes(entry));
  const expected = both(reference, chain);
  const found = both(chain, reference);
  const at = expected.findIndex((entry, index) => entry !== found[index]);
  if (at < 0) return undefined;
  return { path: 'order of resource versions', reference: expected.slice(at), chain: found.slice(at) };
}

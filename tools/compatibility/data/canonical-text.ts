import { isRecord } from '@apichain/meta';

/**
 * A JSON response as text in the order in which the server sent its members, except that kind and apiVersion, and `metadata.resourceVersion`, come
 * first: the chain inserts the version into stored bytes, and gives custom resources the head of all other kinds.
 */
export function canonicalText(bytes: Buffer): string {
  return JSON.stringify(withVersionFirst(JSON.parse(bytes.toString())), undefined, 1);
}

/** See `canonicalText`. */
export function withVersionFirst(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withVersionFirst);
  if (!isRecord(value)) return value;
  const { kind, apiVersion, metadata, ...rest } = value;
  const head = Object.entries({ kind, apiVersion, metadata }).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    [...head, ...Object.entries(rest)].map(([name, member]) => [
      name,
      name === 'metadata' && isRecord(member) && typeof member['resourceVersion'] === 'string'
        ? { resourceVersion: member['resourceVersion'], ...member }
        : withVersionFirst(member),
    ]),
  );
}

/** The first lines in which two texts differ. */
export function firstDifference(expected: string, actual: string): string {
  const [a, b] = [expected.split('\n'), actual.split('\n')];
  const at = a.findIndex((line, index) => line !== b[index]);
  const from = Math.max(0, (at < 0 ? a.length : at) - 3);
  return `expected\n${a.slice(from, from + 8).join('\n')}\nfound\n${b.slice(from, from + 8).join('\n')}`;
}

import { encryptionOf } from '@apichain/storage';
import { StoredResources, resourceName } from './stored-resources.ts';

/** How many values of each resource are encrypted, by the name of the resource (`secrets`), the most frequent first. */
export function encryptedValues(
  values: Iterable<{ readonly key: Buffer; readonly value: Buffer }>,
  prefix: string,
): ReadonlyMap<string, number> {
  const builtin = new StoredResources([]);
  const counts = new Map<string, number>();
  for (const { key, value } of values) {
    if (encryptionOf(value) === undefined) continue;
    const below = key.toString('utf8').slice(prefix.length);
    const place = builtin.placeOf(below);
    // The directory of a custom resource says its group and its name.
    const [, group = '', plural = ''] = below.split('/');
    const name = place === undefined ? `${plural}.${group}` : resourceName(place.resource);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

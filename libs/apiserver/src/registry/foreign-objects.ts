import type { StoredObject } from '@apichain/storage';
import { deliver, type ConvertAll } from './delivered-object.ts';

/** Whether stored JSON, which begins with kind and apiVersion, is in the version. */
export function isInVersion({ json }: StoredObject, apiVersion: string): boolean {
  const head = json.toString('latin1', 0, 512);
  const mark = '"apiVersion":"';
  const start = head.indexOf(mark) + mark.length;
  return start >= mark.length && head.startsWith(`${apiVersion}"`, start);
}

/** Converts the objects that are not in `apiVersion`, with one call; the others stay as they are. Converted bytes are cached as `shape`. */
export async function convertForeign(
  items: readonly StoredObject[],
  { apiVersion, shape, convert }: { readonly apiVersion: string; readonly shape: string; readonly convert: ConvertAll },
): Promise<readonly StoredObject[]> {
  const foreign = items.filter((item) => !isInVersion(item, apiVersion));
  if (foreign.length === 0) return items;
  const converted = await deliver(foreign, shape, convert);
  const inVersion = new Map(foreign.map((item, i) => [item, converted[i]]));
  return items.map((item) => inVersion.get(item) ?? item);
}

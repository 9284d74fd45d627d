import { takePlaceForDocument } from '@apichain/request';
import type { StoredObject } from '@apichain/storage';
import type { Conversion } from './conversion.ts';
import { deliver } from './delivered-object.ts';
import { bytesOf, LateObject, lateObjects } from './late-object.ts';

/** Lists of more bytes are not in memory as a whole once they are converted. */
const bytesAtOnce = 8 * 1024 * 1024;

/** Whether stored JSON, which begins with kind and apiVersion, is in the version. */
export function isInVersion(item: StoredObject, apiVersion: string): boolean {
  if (item instanceof LateObject) return item.apiVersion === apiVersion;
  const head = item.json.toString('latin1', 0, 512);
  const mark = '"apiVersion":"';
  const start = head.indexOf(mark) + mark.length;
  return start >= mark.length && head.startsWith(`${apiVersion}"`, start);
}

/** Converts the objects that are not in the version; the others stay as they are. Rejects with the error of the conversion. */
export const convertForeign = (
  items: readonly StoredObject[],
  conversion: Conversion,
): Promise<readonly StoredObject[]> => replaced(items, conversion, (foreign) => deliver(foreign, conversion));

/**
 * The same for a list. The objects of a large list are converted when they are read, so that they are never in memory together: its reader meets the error of a
 * conversion. It reads each object once, in order.
 */
export const convertForeignList = (
  items: readonly StoredObject[],
  conversion: Conversion,
): Promise<readonly StoredObject[]> =>
  replaced(items, conversion, async (foreign) => {
    const bytes = bytesOf(foreign);
    if (bytes > bytesAtOnce) return lateObjects(foreign, conversion);
    // What a webhook has converted is in memory until the response is over.
    await takePlaceForDocument(bytes);
    return deliver(foreign, conversion);
  });

async function replaced(
  items: readonly StoredObject[],
  { apiVersion }: Conversion,
  convert: (foreign: readonly StoredObject[]) => Promise<readonly StoredObject[]>,
): Promise<readonly StoredObject[]> {
  const foreign = items.filter((item) => !isInVersion(item, apiVersion));
  if (foreign.length === 0) return items;
  const converted = await convert(foreign);
  const inVersion = new Map(foreign.map((item, i) => [item, converted[i]]));
  return items.map((item) => inVersion.get(item) ?? item);
}

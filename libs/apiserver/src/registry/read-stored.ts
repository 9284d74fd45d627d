import { parseJsonInSlices, type KubeObject } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';

/** In bytes. Larger objects are parsed in slices; smaller ones at once, which costs less. */
const largeObject = 256 * 1024;

/** Parses a stored object. Returns a promise only if the object is large. */
export function readStored(stored: StoredObject): KubeObject | Promise<KubeObject> {
  return stored.json.length > largeObject ? readLarge(stored.json) : stored.parse();
}

async function readLarge(json: Buffer): Promise<KubeObject> {
  const { value, numberError } = await parseJsonInSlices(json);
  if (numberError !== undefined) throw numberError;
  return value as KubeObject;
}

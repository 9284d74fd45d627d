import { parseJsonInSlices, type KubeObject } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';

/** Objects that are larger are read in slices; smaller ones at once, which costs less. In bytes. */
const largeObject = 256 * 1024;

/** A fresh copy of a stored object: at once where it is small. */
export function readStored(stored: StoredObject): KubeObject | Promise<KubeObject> {
  return stored.json.length > largeObject ? readLarge(stored.json) : stored.parse();
}

async function readLarge(json: Buffer): Promise<KubeObject> {
  const { value, numberError } = await parseJsonInSlices(json);
  if (numberError !== undefined) throw numberError;
  return value as KubeObject;
}

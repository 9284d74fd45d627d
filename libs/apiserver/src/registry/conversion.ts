import { pause, stringifyJson, type KubeObject } from '@apichain/meta';
import { type ObjectAttributes, type StoredObject, readStored } from '@apichain/storage';

/** What an object in another version has in common with its original. */
export class OtherVersion {
  readonly key: string;
  readonly revision: number;
  readonly attributes: ObjectAttributes;
  readonly shapes: Map<string, Buffer>;

  constructor({ key, revision, attributes, shapes }: StoredObject) {
    this.key = key;
    this.revision = revision;
    this.attributes = attributes;
    this.shapes = shapes;
  }
}

/** Converts all objects with one call; the results are in the order of the arguments. */
export type ConvertAll = (objects: readonly KubeObject[]) => Promise<KubeObject[]>;

/** How objects are converted to a version, and the name under which the converted bytes are cached with each. */
export interface Conversion {
  readonly apiVersion: string;
  readonly shape: string;
  readonly convert: ConvertAll;
}

/** Converts those of the objects that have no cached bytes, with one call. Returns the bytes of all. */
export async function convertChunk(
  items: readonly StoredObject[],
  { shape, convert }: Conversion,
): Promise<Map<StoredObject, Buffer>> {
  const made = new Map<StoredObject, Buffer>();
  const missing: StoredObject[] = [];
  const objects: KubeObject[] = [];
  for (const item of items) {
    const known = item.shapes.get(shape);
    if (known !== undefined) made.set(item, known);
    else {
      missing.push(item);
      objects.push(await readStored(item));
    }
  }
  if (missing.length === 0) return made;
  const converted = await convert(objects);
  for (const [i, item] of missing.entries()) {
    await pause();
    const json = Buffer.from(stringifyJson(converted[i]));
    item.shapes.set(shape, json);
    made.set(item, json);
  }
  return made;
}

import { parseJson, type KubeObject } from '@apichain/meta';
import type { StoredObject } from '@apichain/storage';

/** A stored object of kind Thing in version v1, with so many bytes of data. */
export function storedThing(name: string, bytes: number): StoredObject {
  const object = { kind: 'Thing', apiVersion: 'v1', metadata: { name }, data: 'x'.repeat(bytes) };
  const json = Buffer.from(JSON.stringify(object));
  return {
    key: name,
    revision: 1,
    json,
    attributes: { name, namespace: '', labels: {}, fields: {} },
    shapes: new Map(),
    parse: () => parseJson(json) as KubeObject,
  };
}

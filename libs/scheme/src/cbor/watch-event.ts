import type { Work } from '@apichain/meta';
import { encodeCborItem, encodingCbor } from './encode.ts';
import { selfDescribed } from './major-types.ts';

const mapOfTwo = Buffer.from([0xa2]);
const typeKey = encodeCborItem('type');
const objectKey = encodeCborItem('object');

/** One item of `application/cbor-seq`: a meta/v1 WatchEvent whose object is a separate document. */
export function* encodingCborWatchEvent(type: string, object: unknown): Work<Buffer> {
  const encoded = yield* encodingCbor(object);
  return Buffer.concat([selfDescribed, mapOfTwo, typeKey, encodeCborItem(type), objectKey, encoded]);
}

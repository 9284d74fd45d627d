import { encodeCborItem, encodeCbor } from './encode.ts';
import { selfDescribed } from './major-types.ts';

const mapOfTwo = Buffer.from([0xa2]);
const typeKey = encodeCborItem('type');
const objectKey = encodeCborItem('object');

/** One item of `application/cbor-seq`: a meta/v1 WatchEvent whose object is a separate document. */
export const encodeCborWatchEvent = (type: string, object: unknown): Buffer =>
  Buffer.concat([selfDescribed, mapOfTwo, typeKey, encodeCborItem(type), objectKey, encodeCbor(object)]);

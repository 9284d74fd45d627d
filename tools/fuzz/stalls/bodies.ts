import { stringifyYaml, type KubeObject } from '@apichain/meta';
import { builtinProtobuf } from '@apichain/kinds';
import { encodeCbor } from '@apichain/scheme';

export const encodings = ['json', 'yaml', 'protobuf', 'cbor'] as const;
export type Encoding = (typeof encodings)[number];

const isKubeObject = (value: unknown): value is KubeObject =>
  typeof value === 'object' && value !== null && 'kind' in value;

/** Encodes an object. Falls back to JSON if the encoding cannot represent the object. */
export function encoded(encoding: Encoding, object: unknown): { contentType: string; bytes: Buffer } {
  switch (encoding) {
    case 'yaml':
      return { contentType: 'application/yaml', bytes: Buffer.from(stringifyYaml(object)) };
    case 'cbor':
      return { contentType: 'application/cbor', bytes: encodeCbor(object) };
    case 'protobuf':
      return protobuf(object) ?? encoded('json', object);
    case 'json':
      return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(object)) };
  }
}

/** Undefined if protobuf cannot represent the object, because a value does not have the type of its field. */
function protobuf(object: unknown): { contentType: string; bytes: Buffer } | undefined {
  if (!isKubeObject(object)) return undefined;
  try {
    return { contentType: 'application/vnd.kubernetes.protobuf', bytes: builtinProtobuf.encode(object) };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

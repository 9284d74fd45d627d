import type { Field, Type, TypeKind } from './type.ts';

/** Values that Go's encoder omits although the field is set. */
export type Omission = 'none' | 'nil' | 'emptyCollection' | 'emptyScalar';

/** Kinds that are structs in Go, where omitempty has no effect. */
const structKinds: ReadonlySet<TypeKind> = new Set([
  'object',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
  'rawExtension',
  'fieldsV1',
]);

const isStruct = (type: Type): boolean =>
  structKinds.has(type.kind) || (type.kind === 'json' && type.name !== undefined);
const isCollection = ({ kind }: Type): boolean => kind === 'array' || kind === 'map';

/** Fields where an empty list differs from an absent one. It gets no defaults and validation refuses it, so it is never stored. */
const emptyIsGiven: ReadonlySet<string> = new Set(['autoscaling.v2.HPAScalingRules.policies']);

export function omissionOf(field: Field, owner: Type): Omission {
  if (field.pointer === true || emptyIsGiven.has(`${owner.name ?? ''}.${field.name}`)) return 'none';
  if (isCollection(field.type)) return field.omitempty === true ? 'emptyCollection' : 'none';
  if (isStruct(field.type)) return field.omitzero === true ? 'nil' : 'none';
  return field.omitempty === true ? 'emptyScalar' : 'none';
}

/** Whether Go writes the field although it is unset. */
export function writesUnset(field: Field): boolean {
  if (field.pointer !== true && isStruct(field.type)) return field.omitzero !== true;
  return field.omitempty !== true && field.omitzero !== true;
}

/** The other groups store their objects as JSON, or not at all; there an empty list is preserved. */
const storedAsProtobuf = (type: Type): boolean =>
  !/^(apiextensions|apiregistration|authentication|authorization|admission|apidiscovery|meta)\./.test(type.name ?? '');

/** Protobuf storage has no empty lists and maps: they are read back as nil. */
export const emptyIsNil = (field: Field, owner: Type): boolean =>
  isCollection(field.type) && field.omitempty !== true && storedAsProtobuf(owner);

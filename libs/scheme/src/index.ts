export { CborError } from './cbor/cbor-error.ts';
export { decodeCbor, looksLikeCbor } from './cbor/decode.ts';
export { cborPieces, encodeCbor, encodeCborWatchEvent } from './cbor/encode.ts';
export {
  configurationRoot,
  configurationStruct,
  decodeConfiguration,
  optionalMember,
  type ConfigurationKind,
} from './configuration-document.ts';
export { DecodeError } from './decode-state.ts';
export { canonicalize, decodeObject } from './decode.ts';
export { forgetEmptied, holdsEmptied, wasEmpty } from './decoder.ts';
export { compileDefaults, type ComputedRule, type DefaultCondition, type DefaultRule } from './defaulting.ts';
export { canonicalMembers } from './encode.ts';
export { goTypeName } from './go-type-name.ts';
export { ProtobufCodec } from './protobuf/codec.ts';
export { hasProtobufMagic, readEnvelope } from './protobuf/envelope.ts';
export { ProtobufMessageError } from './protobuf/wire.ts';
export { inOrder, jsonKind } from './scalar-decoders.ts';
export { StatedKindError, statedKind, untypedKind, type StatedKind } from './stated-kind.ts';
export { StrategicMergePatchError } from './strategic-merge-error.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
export {
  someTypeWithin,
  type Field,
  type NestedValidation,
  type ProtoEmbedding,
  type Type,
  type TypeKind,
  type ValidationRule,
  type ValueKeywords,
  type ValueValidation,
} from './type.ts';
export { unstructuredError } from './unstructured-error.ts';
export { asBool, asMembers, asText, asTexts, isAbsent } from './typed-members.ts';

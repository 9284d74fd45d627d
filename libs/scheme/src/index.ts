export { CborError } from './cbor/cbor-error.ts';
export { decodeCbor, looksLikeCbor } from './cbor/decode.ts';
export { cborPieces, encodeCbor, encodingCbor } from './cbor/encode.ts';
export { encodingCborWatchEvent } from './cbor/watch-event.ts';
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
export type {
  Field,
  NestedValidation,
  ProtoEmbedding,
  Type,
  TypeKind,
  ValidationRule,
  ValueValidation,
} from './type.ts';
export { unstructuredError } from './unstructured-error.ts';
export { asBool, asMembers, asText, asTexts, isAbsent } from './typed-members.ts';

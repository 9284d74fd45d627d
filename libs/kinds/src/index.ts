export { builtinMapper } from './builtin-mapper.ts';
export { labelsText, selectorText } from './columns/cells.ts';
export { tableConvertor } from './columns/convertor.ts';
export { carriedAnnotations, settleAnnotations } from './conversions/hpa-v1.ts';
export { convertFromHub, convertToHub, storageVersion } from './conversions/hub.ts';
export { CreateOnlyStorage, plainCodec, requireType } from './create-only.ts';
export { defaulterFor } from './defaults/index.ts';
export { scalingBehavior } from './defaults/other-groups.ts';
export { aggregate } from './defaults/pods.ts';
export { deprecationWarning } from './deprecations.ts';
export { builtinDocumentation } from './documentation.ts';
export { familiesOf, resourceKey, type Family, findRow } from './families.ts';
export { containerLists, containersAt, type ContainerList } from './pod-containers.ts';
export { typesDigest } from './generated-file.ts';
export { knownFeatureGates, openGates, type OpenGate } from './feature-gates.ts';
export { indexedFields, selectableFields } from './field-selectors.ts';
export {
  at,
  entriesOf,
  isRecord,
  isSet,
  list,
  record,
  records,
  sameText,
  sortedEntriesOf,
  text,
  type Plain,
} from './fields.ts';
export { flowControlSource } from './flow-control-source.ts';
export { internalCodec } from './internal-codec.ts';
export { builtinKinds } from './known-kinds.ts';
export {
  builtinProtobuf,
  foreignReader,
  protobufMediaType,
  storageMediaTypes,
  storedProtobuf,
  type StorageMediaType,
} from './protobuf.ts';
export { podQosClass } from './qos.ts';
export { compareQuantityText, isFractionalBytes, quantity } from './quantities.ts';
export { builtinGroupVersions, type BuiltinGroupVersion, type BuiltinResource } from './resources.ts';
export { checkRuntimeConfig, resourceEnabled, type RuntimeConfig } from './runtime-config.ts';
export { storagePath } from './storage-paths.ts';
export { builtinType, builtinTypes, registeredVersions } from './types.ts';

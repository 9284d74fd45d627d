/*
 * The data about the built-in types: fields, defaults, columns, wire formats and storage formats. It serves code that reads or describes built-in
 * objects of another server. Strategies and validation, the larger part of this library, are for the server that serves them.
 */
export { flowControlObjects, flowControlSource } from './flow-control-source.ts';
export { builtinMapper } from './builtin-mapper.ts';
export { builtinPrefix, builtinStores, isBuiltinGroup } from './builtin-stores.ts';
export { convertToHub, storageVersion } from './conversions/hub.ts';
export { builtinGroupVersions } from './resources.ts';
export { storagePath } from './storage-paths.ts';
export { tableConvertor } from './columns/convertor.ts';
export { builtinDocumentation, fieldDescription } from './documentation.ts';
export { defaulterFor } from './defaults/index.ts';
export { knownFeatureGates, openGates } from './feature-gates.ts';
export { maskedSecret, maskedText, maskedValue, mayHoldSecret } from './masked-secret.ts';
export { internalCodec, storedObject } from './internal-codec.ts';
export { builtinKinds } from './known-kinds.ts';
export { builtinProtobuf } from './protobuf.ts';
export { builtinType, builtinTypes } from './types.ts';

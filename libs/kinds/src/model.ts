/*
 * What is known of the built-in types: fields, defaults, columns, forms on the wire and in etcd. All of it serves those who read or describe
 * built-in objects of another server; strategies and validation, the larger part of this library, are for the one that serves them.
 */
export { flowControlSource } from './flow-control-source.ts';
export { builtinMapper } from './builtin-mapper.ts';
export { builtinStores, isBuiltinGroup } from './builtin-stores.ts';
export { tableConvertor } from './columns/convertor.ts';
export { humanDuration } from './columns/duration.ts';
export { builtinDocumentation, fieldDescription } from './documentation.ts';
export { defaulterFor } from './defaults/index.ts';
export { knownFeatureGates } from './feature-gates.ts';
export { builtinKinds } from './known-kinds.ts';
export { builtinProtobuf } from './protobuf.ts';
export { builtinType, builtinTypes } from './types.ts';

export { ageColumn, nameColumn, printerColumns } from './columns.ts';
export { metadataRules, objectMetaType } from './metadata-rules.ts';
export { customCodec, type VersionConverter, refreshingCodec } from './object-codec.ts';
export { at } from './scale-values.ts';
export { selectableFields } from './selectable-fields.ts';
export { readStoredCbor, storedCbor } from './stored-cbor.ts';
export { customStatusStrategy, customStrategy, type CustomStrategyOptions } from './strategy.ts';
export { VersionSchema } from './version-schema.ts';

export { ageColumn, nameColumn, printerColumns } from './columns.ts';
export { metadataRules, objectMetaType } from './metadata-rules.ts';
export { customCodec } from './object-codec.ts';
export { refreshingCodec } from './refreshing-codec.ts';
export { at } from './scale-values.ts';
export { selectableFields } from './selectable-fields.ts';
export { customStatusStrategy, customStrategy, type CustomStrategyOptions } from './strategy.ts';
export type { VersionConverter } from './version-converter.ts';
export { VersionSchema, type VersionSchemaContext } from './version-schema.ts';

export { approvalState, isProtectedGroup, type ApprovalState } from './crd/api-approval.ts';
export { caBundleProblem } from './crd/conversion-validation.ts';
export { defaultCrd } from './crd/crd-defaults.ts';
export {
  findCondition,
  isConditionTrue,
  type CrdCondition,
  type CrdConditionStatus,
  type CrdConversion,
  type CrdNames,
  type CrdPrinterColumn,
  type CrdSpec,
  type CrdSubresources,
  type CrdVersion,
  type CustomResourceDefinition,
} from './crd/crd-types.ts';
export { isStructural } from './structural.ts';
export {
  findNonStructural,
  validateCrd,
  validateCrdStatusUpdate,
  validateCrdUpdate,
  type CrdValidationContext,
  type NonStructural,
} from './crd/crd-validation.ts';
export { pruneDefaults } from './prune-defaults.ts';
export { hoistSpec } from './crd/hoisted-spec.ts';
export { crdWarnings } from './crd/crd-warnings.ts';
export { webhookServiceErrors, webhookUrlErrors } from './crd/webhook-client.ts';
export { applyDefaults, hasDefaults, pruneNulls } from './defaulting.ts';
export { sortKeys } from './sort-keys.ts';
export { durationOfText } from './formats.ts';
export {
  someSchema,
  itemsSchema,
  properties,
  property,
  valuesSchema,
  type JsonSchemaProps,
} from './json-schema-props.ts';
export { validateListTypes } from './list-type.ts';
export {
  objectMetaRules,
  coerceObjectMeta,
  decodableFields,
  validateEmbeddedResources,
  type ObjectMetaRules,
} from './object-meta.ts';
export { groupOperation, serverOperations } from './openapi/discovery-operations.ts';
export { openApiV2, openApiV3, openApiV3Of, type OpenApiInfo } from './openapi/document.ts';
export type {
  OpenApiGroupVersion,
  OpenApiOptions,
  OpenApiResource,
  OpenApiSubresource,
} from './openapi/openapi-types.ts';
export type { OpenApiOperation } from './openapi/operation.ts';
export { encodeOpenApiV2 } from './openapi/protobuf-v2.ts';
export { encodeOpenApiV3 } from './openapi/protobuf-v3.ts';
export { compilePattern, patternProblem, re2Library } from './pattern.ts';
export { prune } from './prune.ts';
export type { CompiledRules, RuleEvaluator } from './rules.ts';
export { customResourceType, structuralType, type StructuralTypes } from './structural-type.ts';
export { compileSchema, type SchemaValidator } from './validate.ts';

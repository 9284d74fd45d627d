export { sortKeys } from './equal.ts';
export { compilePattern } from './pattern.ts';
export * from './json-schema-props.ts';
export { validateStructural, unsupportedKeyword } from './structural.ts';
export { structuralType, customResourceType } from './structural-type.ts';
export { prune } from './prune.ts';
export { applyDefaults, hasDefaults, pruneNulls } from './defaulting.ts';
export * from './object-meta.ts';
export { validateListTypes } from './list-type.ts';
export { durationOfText } from './formats.ts';
export { compileSchema, type SchemaValidator, type CompileOptions } from './validate.ts';
export type { RuleEvaluator, CompiledRules } from './rules.ts';
export * from './crd/crd-types.ts';
export { defaultCrd } from './crd/crd-defaults.ts';
export { crdWarnings } from './crd/crd-warnings.ts';
export { apiApprovedAnnotation, approvalState, isProtectedGroup, type ApprovalState } from './crd/api-approval.ts';
export { caBundleProblem } from './crd/conversion-validation.ts';
export { webhookServiceErrors, webhookUrlErrors } from './crd/webhook-client.ts';
export {
  validateCrd,
  validateCrdUpdate,
  validateCrdStatusUpdate,
  nonStructuralViolations,
  type CrdValidationContext,
} from './crd/crd-validation.ts';
export * from './openapi/openapi-types.ts';
export { openApiV2, openApiV3, openApiV3Of, type OpenApiInfo } from './openapi/document.ts';
export type { OpenApiOperation } from './openapi/operations.ts';
export { groupOperation, serverOperations } from './openapi/discovery-operations.ts';
export { encodeOpenApiV2, encodeOpenApiV3, openApiV2Protobuf, openApiV3Protobuf } from './openapi/protobuf.ts';
export { definitionName, customDefinitionName } from './openapi/definition-names.ts';

export * from './json-schema-props.ts';
export { validateStructural, unsupportedKeyword } from './structural.ts';
export { structuralType, customResourceType } from './structural-type.ts';
export { prune, canPrune } from './prune.ts';
export { applyDefaults, hasDefaults, pruneNulls } from './defaulting.ts';
export * from './object-meta.ts';
export { validateListTypes } from './list-type.ts';
export { compileSchema, type SchemaValidator, type CompileOptions } from './validate.ts';
export type { RuleEvaluator, CompiledRules } from './rules.ts';
export * from './crd/crd-types.ts';
export { defaultCrd } from './crd/crd-defaults.ts';
export { crdWarnings } from './crd/crd-warnings.ts';
export { apiApprovedAnnotation, approvalState, isProtectedGroup } from './crd/api-approval.ts';
export { caBundleProblem } from './crd/conversion-validation.ts';
export {
  validateCrd,
  validateCrdUpdate,
  validateCrdStatusUpdate,
  nonStructuralViolations,
  type CrdValidationContext,
} from './crd/crd-validation.ts';

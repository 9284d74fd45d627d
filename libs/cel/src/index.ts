export { celRules } from './rules/evaluator.ts';
export { parse } from './parser.ts';
export { check, type Checked } from './checker.ts';
export { program, type Outcome, type Program } from './interpreter.ts';
export { CompileError, type Issue } from './issues.ts';
export { EvaluationError, type Value } from './values.ts';
export {
  admissionEnvironment,
  admissionResults,
  compileExpression,
  composedVariables,
  jsonPatchType,
  mutationStructs,
  objectPatchType,
  type CompiledExpression,
  type ExpressionEnvironment,
} from './admission/environment.ts';
export { deviceEnvironment, deviceSelectorResult } from './admission/device-environment.ts';
export {
  accessReviewEnvironment,
  authenticationResults,
  claimsEnvironment,
  userEnvironment,
} from './admission/access-environments.ts';
export { claimsValue } from './admission/claims-value.ts';
export { selects } from './admission/selections.ts';
export { ComposedVariables } from './admission/composed-variables.ts';
export { dynamicValue, jsonOf } from './admission/dynamic-value.ts';
export {
  AuthorizerValue,
  PendingAuthorization,
  ResourceCheck,
  type AuthorizationAnswer,
  type AuthorizationQuery,
  type Authorize,
} from './library/authorization-values.ts';
export { CostLimitError } from './cost.ts';
export { ListValue, MapValue, StructValue } from './values.ts';
export type { CelType } from './types.ts';

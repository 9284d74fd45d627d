export {
  accessReviewEnvironment,
  authenticationResults,
  claimsEnvironment,
  userEnvironment,
} from './admission/access-environments.ts';
export { claimsValue } from './admission/claims-value.ts';
export { ComposedVariables } from './admission/composed-variables.ts';
export { deviceEnvironment, deviceSelectorResult } from './admission/device-environment.ts';
export { dynamicValue, jsonOf } from './admission/dynamic-value.ts';
export {
  admissionEnvironment,
  admissionResults,
  compileExpression,
  composedVariables,
  mutationStructs,
  type CompiledExpression,
  type ExpressionEnvironment,
} from './admission/environment.ts';
export { selects } from './admission/selections.ts';
export { stageEnvironment, stageResults } from './admission/stage-environment.ts';
export { CostLimitError } from './cost.ts';
export type { Program } from './interpreter.ts';
export {
  AuthorizerValue,
  PendingAuthorization,
  ResourceCheck,
  type AuthorizationDecision,
  type AuthorizationQuery,
  type Authorize,
} from './library/authorization-values.ts';
export { findNonStructuralRemotely, validateCrdRemotely, type RemoteValidation } from './definitions/remote-checks.ts';
export { celRules } from './rules/evaluator.ts';
export { timedRules, type RuleTimers } from './rules/timed-rules.ts';
export type { CelType } from './types.ts';
export { Duration, ListValue, MapValue, StructValue, Timestamp, type Value } from './values.ts';

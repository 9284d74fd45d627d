// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type * as admissionregistration_v1 from '../admissionregistration/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64 } from '../../scalars.ts';

export type ApplyConfiguration = {
  expression?: string;
};

export type AuditAnnotation = {
  key?: string;
  valueExpression?: string;
};

export type ExpressionWarning = {
  fieldRef?: string;
  warning?: string;
};

export type FailurePolicyType = string;

export type JSONPatch = {
  expression?: string;
};

export type MatchCondition = {
  name?: string;
  expression?: string;
};

export type MatchPolicyType = string;

export type MatchResources = {
  namespaceSelector?: meta_v1.LabelSelector;
  objectSelector?: meta_v1.LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  /** `Exact`, `Equivalent` */
  matchPolicy?: MatchPolicyType;
};

export type MutatingAdmissionPolicy = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: MutatingAdmissionPolicySpec;
};

export type MutatingAdmissionPolicyBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: MutatingAdmissionPolicyBindingSpec;
};

export type MutatingAdmissionPolicyBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: MutatingAdmissionPolicyBinding[] | null;
};

export type MutatingAdmissionPolicyBindingSpec = {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
};

export type MutatingAdmissionPolicyList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: MutatingAdmissionPolicy[] | null;
};

export type MutatingAdmissionPolicySpec = {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  variables?: Variable[];
  mutations?: Mutation[];
  /** `Ignore`, `Fail` */
  failurePolicy?: FailurePolicyType;
  matchConditions?: MatchCondition[];
  /** `Never`, `IfNeeded` */
  reinvocationPolicy?: admissionregistration_v1.ReinvocationPolicyType;
};

export type Mutation = {
  /** `ApplyConfiguration`, `JSONPatch` */
  patchType?: PatchType;
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
};

export type NamedRuleWithOperations = {
  resourceNames?: string[];
  /** `*`, `CREATE`, `UPDATE`, `DELETE`, `CONNECT` */
  operations?: admissionregistration_v1.OperationType[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  /** `Cluster`, `Namespaced`, `*` */
  scope?: admissionregistration_v1.ScopeType;
};

export type OperationType = string;

export type ParamKind = {
  apiVersion?: string;
  kind?: string;
};

export type ParamRef = {
  name?: string;
  namespace?: string;
  selector?: meta_v1.LabelSelector;
  /** `Allow`, `Deny` */
  parameterNotFoundAction?: ParameterNotFoundActionType;
};

export type ParameterNotFoundActionType = string;

export type PatchType = string;

export type ReinvocationPolicyType = string;

export type Rule = admissionregistration_v1.Rule;

export type RuleWithOperations = admissionregistration_v1.RuleWithOperations;

export type ScopeType = string;

export type TypeChecking = {
  expressionWarnings?: ExpressionWarning[];
};

export type ValidatingAdmissionPolicy = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
};

export type ValidatingAdmissionPolicyBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ValidatingAdmissionPolicyBindingSpec;
};

export type ValidatingAdmissionPolicyBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ValidatingAdmissionPolicyBinding[] | null;
};

export type ValidatingAdmissionPolicyBindingSpec = {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  /** `Deny`, `Warn`, `Audit` */
  validationActions?: ValidationAction[];
};

export type ValidatingAdmissionPolicyList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ValidatingAdmissionPolicy[] | null;
};

export type ValidatingAdmissionPolicySpec = {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  validations?: Validation[];
  /** `Ignore`, `Fail` */
  failurePolicy?: FailurePolicyType;
  auditAnnotations?: AuditAnnotation[];
  matchConditions?: MatchCondition[];
  variables?: Variable[];
};

export type ValidatingAdmissionPolicyStatus = {
  observedGeneration?: Int64;
  typeChecking?: TypeChecking;
  conditions?: meta_v1.Condition[];
};

export type Validation = {
  expression?: string;
  message?: string;
  reason?: meta_v1.StatusReason;
  messageExpression?: string;
};

export type ValidationAction = string;

export type Variable = {
  name?: string;
  expression?: string;
};

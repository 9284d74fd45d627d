// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';
import type { Bytes, Int64 } from '../../scalars.ts';

export type ApplyConfiguration = {
  expression?: string;
  [emptied]?: readonly string[];
};

export type AuditAnnotation = {
  key?: string;
  valueExpression?: string;
  [emptied]?: readonly string[];
};

export type ExpressionWarning = {
  fieldRef?: string;
  warning?: string;
  [emptied]?: readonly string[];
};

export type FailurePolicyType = string;

export type JSONPatch = {
  expression?: string;
  [emptied]?: readonly string[];
};

export type MatchCondition = {
  name?: string;
  expression?: string;
  [emptied]?: readonly string[];
};

export type MatchPolicyType = string;

export type MatchResources = {
  namespaceSelector?: meta_v1.LabelSelector;
  objectSelector?: meta_v1.LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  /** `Exact`, `Equivalent` */
  matchPolicy?: MatchPolicyType;
  [emptied]?: readonly string[];
};

export type MutatingAdmissionPolicy = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: MutatingAdmissionPolicySpec;
  [emptied]?: readonly string[];
};

export type MutatingAdmissionPolicyBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: MutatingAdmissionPolicyBindingSpec;
  [emptied]?: readonly string[];
};

export type MutatingAdmissionPolicyBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: MutatingAdmissionPolicyBinding[] | null;
  [emptied]?: readonly string[];
};

export type MutatingAdmissionPolicyBindingSpec = {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  [emptied]?: readonly string[];
};

export type MutatingAdmissionPolicyList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: MutatingAdmissionPolicy[] | null;
  [emptied]?: readonly string[];
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
  reinvocationPolicy?: ReinvocationPolicyType;
  [emptied]?: readonly string[];
};

export type MutatingWebhook = {
  name?: string;
  clientConfig?: WebhookClientConfig;
  rules?: RuleWithOperations[];
  /** `Ignore`, `Fail` */
  failurePolicy?: FailurePolicyType;
  /** `Exact`, `Equivalent` */
  matchPolicy?: MatchPolicyType;
  namespaceSelector?: meta_v1.LabelSelector;
  objectSelector?: meta_v1.LabelSelector;
  /** `Unknown`, `None`, `Some`, `NoneOnDryRun` */
  sideEffects?: SideEffectClass | null;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[] | null;
  /** `Never`, `IfNeeded` */
  reinvocationPolicy?: ReinvocationPolicyType;
  matchConditions?: MatchCondition[];
  [emptied]?: readonly string[];
};

export type MutatingWebhookConfiguration = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  webhooks?: MutatingWebhook[];
  [emptied]?: readonly string[];
};

export type MutatingWebhookConfigurationList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: MutatingWebhookConfiguration[] | null;
  [emptied]?: readonly string[];
};

export type Mutation = {
  /** `ApplyConfiguration`, `JSONPatch` */
  patchType?: PatchType;
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
  [emptied]?: readonly string[];
};

export type NamedRuleWithOperations = {
  resourceNames?: string[];
  /** `*`, `CREATE`, `UPDATE`, `DELETE`, `CONNECT` */
  operations?: OperationType[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  /** `Cluster`, `Namespaced`, `*` */
  scope?: ScopeType;
  [emptied]?: readonly string[];
};

export type OperationType = string;

export type ParamKind = {
  apiVersion?: string;
  kind?: string;
  [emptied]?: readonly string[];
};

export type ParamRef = {
  name?: string;
  namespace?: string;
  selector?: meta_v1.LabelSelector;
  parameterNotFoundAction?: ParameterNotFoundActionType;
  [emptied]?: readonly string[];
};

export type ParameterNotFoundActionType = string;

export type PatchType = string;

export type ReinvocationPolicyType = string;

export type Rule = {
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  /** `Cluster`, `Namespaced`, `*` */
  scope?: ScopeType;
  [emptied]?: readonly string[];
};

export type RuleWithOperations = {
  /** `*`, `CREATE`, `UPDATE`, `DELETE`, `CONNECT` */
  operations?: OperationType[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  /** `Cluster`, `Namespaced`, `*` */
  scope?: ScopeType;
  [emptied]?: readonly string[];
};

export type ScopeType = string;

export type ServiceReference = {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
  [emptied]?: readonly string[];
};

export type SideEffectClass = string;

export type TypeChecking = {
  expressionWarnings?: ExpressionWarning[];
  [emptied]?: readonly string[];
};

export type ValidatingAdmissionPolicy = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
  [emptied]?: readonly string[];
};

export type ValidatingAdmissionPolicyBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ValidatingAdmissionPolicyBindingSpec;
  [emptied]?: readonly string[];
};

export type ValidatingAdmissionPolicyBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ValidatingAdmissionPolicyBinding[] | null;
  [emptied]?: readonly string[];
};

export type ValidatingAdmissionPolicyBindingSpec = {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  /** `Deny`, `Warn`, `Audit` */
  validationActions?: ValidationAction[];
  [emptied]?: readonly string[];
};

export type ValidatingAdmissionPolicyConditionType = string;

export type ValidatingAdmissionPolicyList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ValidatingAdmissionPolicy[] | null;
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ValidatingAdmissionPolicyStatus = {
  observedGeneration?: Int64;
  typeChecking?: TypeChecking;
  conditions?: meta_v1.Condition[];
  [emptied]?: readonly string[];
};

export type ValidatingWebhook = {
  name?: string;
  clientConfig?: WebhookClientConfig;
  rules?: RuleWithOperations[];
  /** `Ignore`, `Fail` */
  failurePolicy?: FailurePolicyType;
  /** `Exact`, `Equivalent` */
  matchPolicy?: MatchPolicyType;
  namespaceSelector?: meta_v1.LabelSelector;
  objectSelector?: meta_v1.LabelSelector;
  /** `Unknown`, `None`, `Some`, `NoneOnDryRun` */
  sideEffects?: SideEffectClass | null;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[] | null;
  matchConditions?: MatchCondition[];
  [emptied]?: readonly string[];
};

export type ValidatingWebhookConfiguration = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  webhooks?: ValidatingWebhook[];
  [emptied]?: readonly string[];
};

export type ValidatingWebhookConfigurationList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ValidatingWebhookConfiguration[] | null;
  [emptied]?: readonly string[];
};

export type Validation = {
  expression?: string;
  message?: string;
  reason?: meta_v1.StatusReason;
  messageExpression?: string;
  [emptied]?: readonly string[];
};

export type ValidationAction = string;

export type Variable = {
  name?: string;
  expression?: string;
  [emptied]?: readonly string[];
};

export type WebhookClientConfig = {
  url?: string;
  service?: ServiceReference;
  caBundle?: Bytes;
  [emptied]?: readonly string[];
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type { Time } from '../../scalars.ts';

export type ConditionStatus = string;

export type ExemptPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
  [emptied]?: readonly string[];
};

export type FlowDistinguisherMethod = {
  type?: FlowDistinguisherMethodType;
  [emptied]?: readonly string[];
};

export type FlowDistinguisherMethodType = string;

export type FlowSchema = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: FlowSchemaSpec;
  status?: FlowSchemaStatus;
  [emptied]?: readonly string[];
};

export type FlowSchemaCondition = {
  type?: FlowSchemaConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type FlowSchemaConditionType = string;

export type FlowSchemaList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: FlowSchema[] | null;
  [emptied]?: readonly string[];
};

export type FlowSchemaSpec = {
  priorityLevelConfiguration?: PriorityLevelConfigurationReference;
  matchingPrecedence?: number;
  distinguisherMethod?: FlowDistinguisherMethod;
  rules?: PolicyRulesWithSubjects[];
  [emptied]?: readonly string[];
};

export type FlowSchemaStatus = {
  conditions?: FlowSchemaCondition[];
  [emptied]?: readonly string[];
};

export type GroupSubject = {
  name?: string;
  [emptied]?: readonly string[];
};

export type LimitResponse = {
  type?: LimitResponseType;
  queuing?: QueuingConfiguration;
  [emptied]?: readonly string[];
};

export type LimitResponseType = string;

export type LimitedPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number | null;
  limitResponse?: LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
  [emptied]?: readonly string[];
};

export type NonResourcePolicyRule = {
  verbs?: string[] | null;
  nonResourceURLs?: string[] | null;
  [emptied]?: readonly string[];
};

export type PolicyRulesWithSubjects = {
  subjects?: Subject[] | null;
  resourceRules?: ResourcePolicyRule[];
  nonResourceRules?: NonResourcePolicyRule[];
  [emptied]?: readonly string[];
};

export type PriorityLevelConfiguration = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
  [emptied]?: readonly string[];
};

export type PriorityLevelConfigurationCondition = {
  type?: PriorityLevelConfigurationConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type PriorityLevelConfigurationConditionType = string;

export type PriorityLevelConfigurationList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PriorityLevelConfiguration[] | null;
  [emptied]?: readonly string[];
};

export type PriorityLevelConfigurationReference = {
  name?: string;
  [emptied]?: readonly string[];
};

export type PriorityLevelConfigurationSpec = {
  type?: PriorityLevelEnablement;
  limited?: LimitedPriorityLevelConfiguration;
  exempt?: ExemptPriorityLevelConfiguration;
  [emptied]?: readonly string[];
};

export type PriorityLevelConfigurationStatus = {
  conditions?: PriorityLevelConfigurationCondition[];
  [emptied]?: readonly string[];
};

export type PriorityLevelEnablement = string;

export type QueuingConfiguration = {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
  [emptied]?: readonly string[];
};

export type ResourcePolicyRule = {
  verbs?: string[] | null;
  apiGroups?: string[] | null;
  resources?: string[] | null;
  clusterScope?: boolean;
  namespaces?: string[] | null;
  [emptied]?: readonly string[];
};

export type ServiceAccountSubject = {
  namespace?: string;
  name?: string;
  [emptied]?: readonly string[];
};

export type Subject = {
  kind?: SubjectKind;
  user?: UserSubject;
  group?: GroupSubject;
  serviceAccount?: ServiceAccountSubject;
  [emptied]?: readonly string[];
};

export type SubjectKind = string;

export type UserSubject = {
  name?: string;
  [emptied]?: readonly string[];
};

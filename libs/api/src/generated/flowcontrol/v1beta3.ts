// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type { Time } from '../../scalars.ts';

export type ConditionStatus = string;

export type ExemptPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
};

export type FlowDistinguisherMethod = {
  type?: FlowDistinguisherMethodType;
};

export type FlowDistinguisherMethodType = string;

export type FlowSchema = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: FlowSchemaSpec;
  status?: FlowSchemaStatus;
};

export type FlowSchemaCondition = {
  type?: FlowSchemaConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type FlowSchemaConditionType = string;

export type FlowSchemaList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: FlowSchema[] | null;
};

export type FlowSchemaSpec = {
  priorityLevelConfiguration?: PriorityLevelConfigurationReference;
  matchingPrecedence?: number;
  distinguisherMethod?: FlowDistinguisherMethod;
  rules?: PolicyRulesWithSubjects[];
};

export type FlowSchemaStatus = {
  conditions?: FlowSchemaCondition[];
};

export type GroupSubject = {
  name?: string;
};

export type LimitResponse = {
  type?: LimitResponseType;
  queuing?: QueuingConfiguration;
};

export type LimitResponseType = string;

export type LimitedPriorityLevelConfiguration = {
  nominalConcurrencyShares?: number;
  limitResponse?: LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
};

export type NonResourcePolicyRule = {
  verbs?: string[] | null;
  nonResourceURLs?: string[] | null;
};

export type PolicyRulesWithSubjects = {
  subjects?: Subject[] | null;
  resourceRules?: ResourcePolicyRule[];
  nonResourceRules?: NonResourcePolicyRule[];
};

export type PriorityLevelConfiguration = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
};

export type PriorityLevelConfigurationCondition = {
  type?: PriorityLevelConfigurationConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
};

export type PriorityLevelConfigurationConditionType = string;

export type PriorityLevelConfigurationList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PriorityLevelConfiguration[] | null;
};

export type PriorityLevelConfigurationReference = {
  name?: string;
};

export type PriorityLevelConfigurationSpec = {
  type?: PriorityLevelEnablement;
  limited?: LimitedPriorityLevelConfiguration;
  exempt?: ExemptPriorityLevelConfiguration;
};

export type PriorityLevelConfigurationStatus = {
  conditions?: PriorityLevelConfigurationCondition[];
};

export type PriorityLevelEnablement = string;

export type QueuingConfiguration = {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
};

export type ResourcePolicyRule = {
  verbs?: string[] | null;
  apiGroups?: string[] | null;
  resources?: string[] | null;
  clusterScope?: boolean;
  namespaces?: string[] | null;
};

export type ServiceAccountSubject = {
  namespace?: string;
  name?: string;
};

export type Subject = {
  kind?: SubjectKind;
  user?: UserSubject;
  group?: GroupSubject;
  serviceAccount?: ServiceAccountSubject;
};

export type SubjectKind = string;

export type UserSubject = {
  name?: string;
};

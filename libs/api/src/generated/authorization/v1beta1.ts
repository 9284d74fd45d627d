// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta } from '@apichain/meta';
import type * as authorization_v1 from '../authorization/v1.ts';

export type ExtraValue = string[];

export type LocalSubjectAccessReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
};

export type NonResourceAttributes = {
  path?: string;
  verb?: string;
};

export type NonResourceRule = {
  verbs?: string[] | null;
  nonResourceURLs?: string[];
};

export type ResourceAttributes = {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: authorization_v1.FieldSelectorAttributes;
  labelSelector?: authorization_v1.LabelSelectorAttributes;
};

export type ResourceRule = {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
};

export type SelfSubjectAccessReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
};

export type SelfSubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
};

export type SelfSubjectRulesReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
};

export type SelfSubjectRulesReviewSpec = {
  namespace?: string;
};

export type SubjectAccessReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
};

export type SubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  group?: string[];
  extra?: Record<string, ExtraValue | null>;
  uid?: string;
};

export type SubjectAccessReviewStatus = {
  allowed?: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
};

export type SubjectRulesReviewStatus = {
  resourceRules?: ResourceRule[] | null;
  nonResourceRules?: NonResourceRule[] | null;
  incomplete?: boolean;
  evaluationError?: string;
};

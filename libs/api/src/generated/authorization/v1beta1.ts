// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta, emptied } from '@apichain/meta';
import type * as authorization_v1 from '../authorization/v1.ts';

export type ExtraValue = string[];

export type LocalSubjectAccessReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
  [emptied]?: readonly string[];
};

export type NonResourceAttributes = {
  path?: string;
  verb?: string;
  [emptied]?: readonly string[];
};

export type NonResourceRule = {
  verbs?: string[] | null;
  nonResourceURLs?: string[];
  [emptied]?: readonly string[];
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
  [emptied]?: readonly string[];
};

export type ResourceRule = {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  [emptied]?: readonly string[];
};

export type SelfSubjectAccessReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
  [emptied]?: readonly string[];
};

export type SelfSubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  [emptied]?: readonly string[];
};

export type SelfSubjectRulesReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
  [emptied]?: readonly string[];
};

export type SelfSubjectRulesReviewSpec = {
  namespace?: string;
  [emptied]?: readonly string[];
};

export type SubjectAccessReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
  [emptied]?: readonly string[];
};

export type SubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  group?: string[];
  extra?: Record<string, ExtraValue | null>;
  uid?: string;
  [emptied]?: readonly string[];
};

export type SubjectAccessReviewStatus = {
  allowed?: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
  [emptied]?: readonly string[];
};

export type SubjectRulesReviewStatus = {
  resourceRules?: ResourceRule[] | null;
  nonResourceRules?: NonResourceRule[] | null;
  incomplete?: boolean;
  evaluationError?: string;
  [emptied]?: readonly string[];
};

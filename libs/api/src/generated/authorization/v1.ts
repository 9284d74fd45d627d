// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type ExtraValue = string[];

export type FieldSelectorAttributes = {
  rawSelector?: string;
  requirements?: meta_v1.FieldSelectorRequirement[];
  [emptied]?: readonly string[];
};

export type LabelSelectorAttributes = {
  rawSelector?: string;
  requirements?: meta_v1.LabelSelectorRequirement[];
  [emptied]?: readonly string[];
};

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
  fieldSelector?: FieldSelectorAttributes;
  labelSelector?: LabelSelectorAttributes;
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
  groups?: string[];
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

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type AggregationRule = {
  clusterRoleSelectors?: meta_v1.LabelSelector[];
  [emptied]?: readonly string[];
};

export type ClusterRole = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  rules?: PolicyRule[] | null;
  aggregationRule?: AggregationRule;
  [emptied]?: readonly string[];
};

export type ClusterRoleBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  subjects?: Subject[];
  roleRef?: RoleRef;
  [emptied]?: readonly string[];
};

export type ClusterRoleBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ClusterRoleBinding[] | null;
  [emptied]?: readonly string[];
};

export type ClusterRoleList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ClusterRole[] | null;
  [emptied]?: readonly string[];
};

export type PolicyRule = {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  [emptied]?: readonly string[];
};

export type Role = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  rules?: PolicyRule[] | null;
  [emptied]?: readonly string[];
};

export type RoleBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  subjects?: Subject[];
  roleRef?: RoleRef;
  [emptied]?: readonly string[];
};

export type RoleBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: RoleBinding[] | null;
  [emptied]?: readonly string[];
};

export type RoleList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Role[] | null;
  [emptied]?: readonly string[];
};

export type RoleRef = {
  apiGroup?: string;
  kind?: string;
  name?: string;
  [emptied]?: readonly string[];
};

export type Subject = {
  kind?: string;
  apiVersion?: string;
  name?: string;
  namespace?: string;
  [emptied]?: readonly string[];
};

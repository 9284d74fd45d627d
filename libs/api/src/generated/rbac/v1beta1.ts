// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type AggregationRule = {
  clusterRoleSelectors?: meta_v1.LabelSelector[];
};

export type ClusterRole = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  rules?: PolicyRule[] | null;
  aggregationRule?: AggregationRule;
};

export type ClusterRoleBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  subjects?: Subject[];
  roleRef?: RoleRef;
};

export type ClusterRoleBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ClusterRoleBinding[] | null;
};

export type ClusterRoleList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ClusterRole[] | null;
};

export type PolicyRule = {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
};

export type Role = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  rules?: PolicyRule[] | null;
};

export type RoleBinding = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  subjects?: Subject[];
  roleRef?: RoleRef;
};

export type RoleBindingList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: RoleBinding[] | null;
};

export type RoleList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Role[] | null;
};

export type RoleRef = {
  apiGroup?: string;
  kind?: string;
  name?: string;
};

export type Subject = {
  kind?: string;
  apiGroup?: string;
  name?: string;
  namespace?: string;
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, IntOrString, Time } from '../../scalars.ts';

export type Eviction = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  deleteOptions?: meta_v1.DeleteOptions;
  [emptied]?: readonly string[];
};

export type PodDisruptionBudget = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
  [emptied]?: readonly string[];
};

export type PodDisruptionBudgetList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PodDisruptionBudget[] | null;
  [emptied]?: readonly string[];
};

export type PodDisruptionBudgetSpec = {
  minAvailable?: IntOrString;
  selector?: meta_v1.LabelSelector;
  maxUnavailable?: IntOrString;
  /** `IfHealthyBudget`, `AlwaysAllow` */
  unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicyType;
  [emptied]?: readonly string[];
};

export type PodDisruptionBudgetStatus = {
  observedGeneration?: Int64;
  disruptedPods?: Record<string, Time | null>;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  conditions?: meta_v1.Condition[];
  [emptied]?: readonly string[];
};

export type UnhealthyPodEvictionPolicyType = string;

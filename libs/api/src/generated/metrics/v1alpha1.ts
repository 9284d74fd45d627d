// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type { Duration, Time } from '../../scalars.ts';

export type ContainerMetrics = {
  name?: string;
  usage?: core_v1.ResourceList | null;
  [emptied]?: readonly string[];
};

export type NodeMetrics = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  timestamp?: Time | null;
  window?: Duration;
  usage?: core_v1.ResourceList | null;
  [emptied]?: readonly string[];
};

export type NodeMetricsList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: NodeMetrics[] | null;
  [emptied]?: readonly string[];
};

export type PodMetrics = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  timestamp?: Time | null;
  window?: Duration;
  containers?: ContainerMetrics[] | null;
  [emptied]?: readonly string[];
};

export type PodMetricsList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PodMetrics[] | null;
  [emptied]?: readonly string[];
};

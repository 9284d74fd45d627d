// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';

export type Overhead = {
  podFixed?: core_v1.ResourceList;
  [emptied]?: readonly string[];
};

export type RuntimeClass = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  handler?: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
  [emptied]?: readonly string[];
};

export type RuntimeClassList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: RuntimeClass[] | null;
  [emptied]?: readonly string[];
};

export type Scheduling = {
  nodeSelector?: Record<string, string>;
  tolerations?: core_v1.Toleration[];
  [emptied]?: readonly string[];
};

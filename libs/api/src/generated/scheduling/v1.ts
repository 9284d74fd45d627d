// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';

export type PriorityClass = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  value?: number;
  globalDefault?: boolean;
  description?: string;
  /** `PreemptLowerPriority`, `Never` */
  preemptionPolicy?: core_v1.PreemptionPolicy;
  [emptied]?: readonly string[];
};

export type PriorityClassList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PriorityClass[] | null;
  [emptied]?: readonly string[];
};

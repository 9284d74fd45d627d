// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type { MicroTime } from '../../scalars.ts';

export type CoordinatedLeaseStrategy = string;

export type Lease = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: LeaseSpec;
  [emptied]?: readonly string[];
};

export type LeaseList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Lease[] | null;
  [emptied]?: readonly string[];
};

export type LeaseSpec = {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: MicroTime;
  renewTime?: MicroTime;
  leaseTransitions?: number;
  strategy?: CoordinatedLeaseStrategy;
  preferredHolder?: string;
  [emptied]?: readonly string[];
};

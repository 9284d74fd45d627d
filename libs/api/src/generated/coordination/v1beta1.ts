// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as coordination_v1 from '../coordination/v1.ts';
import type { MicroTime } from '../../scalars.ts';

export type Lease = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: LeaseSpec;
  [emptied]?: readonly string[];
};

export type LeaseCandidate = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: LeaseCandidateSpec;
  [emptied]?: readonly string[];
};

export type LeaseCandidateList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: LeaseCandidate[] | null;
  [emptied]?: readonly string[];
};

export type LeaseCandidateSpec = {
  leaseName?: string;
  pingTime?: MicroTime;
  renewTime?: MicroTime;
  binaryVersion?: string;
  emulationVersion?: string;
  strategy?: coordination_v1.CoordinatedLeaseStrategy;
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
  strategy?: coordination_v1.CoordinatedLeaseStrategy;
  preferredHolder?: string;
  [emptied]?: readonly string[];
};

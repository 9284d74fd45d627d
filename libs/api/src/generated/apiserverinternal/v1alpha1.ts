// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type { Int64, Time } from '../../scalars.ts';

export type ConditionStatus = string;

export type ServerStorageVersion = {
  apiServerID?: string;
  encodingVersion?: string;
  decodableVersions?: string[];
  servedVersions?: string[];
  [emptied]?: readonly string[];
};

export type StorageVersion = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: StorageVersionSpec;
  status?: StorageVersionStatus;
  [emptied]?: readonly string[];
};

export type StorageVersionCondition = {
  type?: StorageVersionConditionType;
  status?: ConditionStatus;
  observedGeneration?: Int64;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type StorageVersionConditionType = string;

export type StorageVersionList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: StorageVersion[] | null;
  [emptied]?: readonly string[];
};

export type StorageVersionSpec = Record<string, never>;

export type StorageVersionStatus = {
  storageVersions?: ServerStorageVersion[];
  commonEncodingVersion?: string;
  conditions?: StorageVersionCondition[];
  [emptied]?: readonly string[];
};

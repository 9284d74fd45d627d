// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type MigrationConditionType = string;

export type StorageVersionMigration = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: StorageVersionMigrationSpec;
  status?: StorageVersionMigrationStatus;
  [emptied]?: readonly string[];
};

export type StorageVersionMigrationList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: StorageVersionMigration[] | null;
  [emptied]?: readonly string[];
};

export type StorageVersionMigrationSpec = {
  resource?: meta_v1.GroupResource;
  [emptied]?: readonly string[];
};

export type StorageVersionMigrationStatus = {
  conditions?: meta_v1.Condition[];
  resourceVersion?: string;
  [emptied]?: readonly string[];
};

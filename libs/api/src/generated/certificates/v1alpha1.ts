// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';

export type ClusterTrustBundle = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ClusterTrustBundleSpec;
  [emptied]?: readonly string[];
};

export type ClusterTrustBundleList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ClusterTrustBundle[] | null;
  [emptied]?: readonly string[];
};

export type ClusterTrustBundleSpec = {
  signerName?: string;
  trustBundle?: string;
  [emptied]?: readonly string[];
};

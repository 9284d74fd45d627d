// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta, emptied } from '@apichain/meta';

export type ImageReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ImageReviewSpec;
  status?: ImageReviewStatus;
  [emptied]?: readonly string[];
};

export type ImageReviewContainerSpec = {
  image?: string;
  [emptied]?: readonly string[];
};

export type ImageReviewSpec = {
  containers?: ImageReviewContainerSpec[];
  annotations?: Record<string, string>;
  namespace?: string;
  [emptied]?: readonly string[];
};

export type ImageReviewStatus = {
  allowed?: boolean;
  reason?: string;
  auditAnnotations?: Record<string, string>;
  [emptied]?: readonly string[];
};

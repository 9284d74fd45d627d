// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta } from '@apichain/meta';

export type ImageReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ImageReviewSpec;
  status?: ImageReviewStatus;
};

export type ImageReviewContainerSpec = {
  image?: string;
};

export type ImageReviewSpec = {
  containers?: ImageReviewContainerSpec[];
  annotations?: Record<string, string>;
  namespace?: string;
};

export type ImageReviewStatus = {
  allowed?: boolean;
  reason?: string;
  auditAnnotations?: Record<string, string>;
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta } from '@apichain/meta';
import type * as authentication_v1 from '../authentication/v1.ts';

export type ExtraValue = string[];

export type SelfSubjectReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  status?: SelfSubjectReviewStatus;
};

export type SelfSubjectReviewStatus = {
  userInfo?: authentication_v1.UserInfo;
};

export type TokenReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: TokenReviewSpec;
  status?: TokenReviewStatus;
};

export type TokenReviewSpec = {
  token?: string;
  audiences?: string[];
};

export type TokenReviewStatus = {
  authenticated?: boolean;
  user?: UserInfo;
  audiences?: string[];
  error?: string;
};

export type UserInfo = {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, ExtraValue | null>;
};

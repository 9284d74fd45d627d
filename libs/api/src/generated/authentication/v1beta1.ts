// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta, emptied } from '@apichain/meta';
import type * as authentication_v1 from '../authentication/v1.ts';

export type ExtraValue = string[];

export type SelfSubjectReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  status?: SelfSubjectReviewStatus;
  [emptied]?: readonly string[];
};

export type SelfSubjectReviewStatus = {
  userInfo?: authentication_v1.UserInfo;
  [emptied]?: readonly string[];
};

export type TokenReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: TokenReviewSpec;
  status?: TokenReviewStatus;
  [emptied]?: readonly string[];
};

export type TokenReviewSpec = {
  token?: string;
  audiences?: string[];
  [emptied]?: readonly string[];
};

export type TokenReviewStatus = {
  authenticated?: boolean;
  user?: UserInfo;
  audiences?: string[];
  error?: string;
  [emptied]?: readonly string[];
};

export type UserInfo = {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, ExtraValue | null>;
  [emptied]?: readonly string[];
};

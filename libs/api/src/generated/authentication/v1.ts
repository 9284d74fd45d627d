// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta, emptied } from '@apichain/meta';
import type { Int64, Time } from '../../scalars.ts';

export type BoundObjectReference = {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
  [emptied]?: readonly string[];
};

export type ExtraValue = string[];

export type SelfSubjectReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  status?: SelfSubjectReviewStatus;
  [emptied]?: readonly string[];
};

export type SelfSubjectReviewStatus = {
  userInfo?: UserInfo;
  [emptied]?: readonly string[];
};

export type TokenRequest = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
  [emptied]?: readonly string[];
};

export type TokenRequestSpec = {
  audiences?: string[] | null;
  expirationSeconds?: Int64 | null;
  boundObjectRef?: BoundObjectReference | null;
  [emptied]?: readonly string[];
};

export type TokenRequestStatus = {
  token?: string;
  expirationTimestamp?: Time | null;
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

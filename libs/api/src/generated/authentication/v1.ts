// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ObjectMeta } from '@apichain/meta';
import type { Int64, Time } from '../../scalars.ts';

export type BoundObjectReference = {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
};

export type ExtraValue = string[];

export type SelfSubjectReview = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  status?: SelfSubjectReviewStatus;
};

export type SelfSubjectReviewStatus = {
  userInfo?: UserInfo;
};

export type TokenRequest = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
};

export type TokenRequestSpec = {
  audiences?: string[] | null;
  expirationSeconds?: Int64 | null;
  boundObjectRef?: BoundObjectReference | null;
};

export type TokenRequestStatus = {
  token?: string;
  expirationTimestamp?: Time | null;
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

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Bytes, Time } from '../../scalars.ts';

export type CertificateSigningRequest = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
  [emptied]?: readonly string[];
};

export type CertificateSigningRequestCondition = {
  type?: RequestConditionType;
  status?: core_v1.ConditionStatus;
  reason?: string;
  message?: string;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
  [emptied]?: readonly string[];
};

export type CertificateSigningRequestList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: CertificateSigningRequest[] | null;
  [emptied]?: readonly string[];
};

export type CertificateSigningRequestSpec = {
  request?: Bytes | null;
  signerName?: string;
  expirationSeconds?: number;
  usages?: KeyUsage[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, ExtraValue | null>;
  [emptied]?: readonly string[];
};

export type CertificateSigningRequestStatus = {
  conditions?: CertificateSigningRequestCondition[];
  certificate?: Bytes;
  [emptied]?: readonly string[];
};

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

export type ExtraValue = string[];

export type KeyUsage = string;

export type PodCertificateRequest = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: PodCertificateRequestSpec;
  status?: PodCertificateRequestStatus;
  [emptied]?: readonly string[];
};

export type PodCertificateRequestList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PodCertificateRequest[] | null;
  [emptied]?: readonly string[];
};

export type PodCertificateRequestSpec = {
  signerName?: string;
  podName?: string;
  podUID?: string;
  serviceAccountName?: string;
  serviceAccountUID?: string;
  nodeName?: string;
  nodeUID?: string;
  maxExpirationSeconds?: number;
  pkixPublicKey?: Bytes | null;
  proofOfPossession?: Bytes | null;
  stubPKCS10Request?: Bytes | null;
  unverifiedUserAnnotations?: Record<string, string>;
  [emptied]?: readonly string[];
};

export type PodCertificateRequestStatus = {
  conditions?: meta_v1.Condition[];
  certificateChain?: string;
  notBefore?: Time;
  beginRefreshAt?: Time;
  notAfter?: Time;
  [emptied]?: readonly string[];
};

export type RequestConditionType = string;

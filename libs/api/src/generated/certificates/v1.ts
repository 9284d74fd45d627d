// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
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
  /** `signing`, `digital signature`, `content commitment`, `key encipherment`, `key agreement`, `data encipherment`, `cert sign`, `crl sign`, `encipher only`, `decipher only`, `any`, `server auth`, `client auth`, `code signing`, `email protection`, `s/mime`, `ipsec end system`, `ipsec tunnel`, `ipsec user`, `timestamping`, `ocsp signing`, `microsoft sgc`, `netscape sgc` */
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

export type ExtraValue = string[];

export type KeyUsage = string;

export type RequestConditionType = string;

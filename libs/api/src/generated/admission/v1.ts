// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { emptied } from '@apichain/meta';
import type * as authentication_v1 from '../authentication/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Bytes, RawExtension } from '../../scalars.ts';

export type AdmissionRequest = {
  uid?: string;
  kind?: meta_v1.GroupVersionKind;
  resource?: meta_v1.GroupVersionResource;
  subResource?: string;
  requestKind?: meta_v1.GroupVersionKind;
  requestResource?: meta_v1.GroupVersionResource;
  requestSubResource?: string;
  name?: string;
  namespace?: string;
  operation?: Operation;
  userInfo?: authentication_v1.UserInfo;
  object?: RawExtension | null;
  oldObject?: RawExtension | null;
  dryRun?: boolean;
  options?: RawExtension | null;
  [emptied]?: readonly string[];
};

export type AdmissionResponse = {
  uid?: string;
  allowed?: boolean;
  status?: meta_v1.Status;
  patch?: Bytes;
  patchType?: PatchType;
  auditAnnotations?: Record<string, string>;
  warnings?: string[];
  [emptied]?: readonly string[];
};

export type AdmissionReview = {
  kind?: string;
  apiVersion?: string;
  request?: AdmissionRequest;
  response?: AdmissionResponse;
  [emptied]?: readonly string[];
};

export type Operation = string;

export type PatchType = string;

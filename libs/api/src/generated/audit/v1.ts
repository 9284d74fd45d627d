// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as authentication_v1 from '../authentication/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { MicroTime, Unknown } from '../../scalars.ts';

export type AuthenticationMetadata = {
  impersonationConstraint?: string;
  [emptied]?: readonly string[];
};

export type Event = {
  kind?: string;
  apiVersion?: string;
  level?: Level;
  auditID?: string;
  stage?: Stage;
  requestURI?: string;
  verb?: string;
  user?: authentication_v1.UserInfo;
  impersonatedUser?: authentication_v1.UserInfo;
  authenticationMetadata?: AuthenticationMetadata;
  sourceIPs?: string[];
  userAgent?: string;
  objectRef?: ObjectReference;
  responseStatus?: meta_v1.Status;
  requestObject?: Unknown;
  responseObject?: Unknown;
  requestReceivedTimestamp?: MicroTime | null;
  stageTimestamp?: MicroTime | null;
  annotations?: Record<string, string>;
  [emptied]?: readonly string[];
};

export type EventList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Event[] | null;
  [emptied]?: readonly string[];
};

export type GroupResources = {
  group?: string;
  resources?: string[];
  resourceNames?: string[];
  [emptied]?: readonly string[];
};

export type Level = string;

export type ObjectReference = {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
  [emptied]?: readonly string[];
};

export type Policy = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  rules?: PolicyRule[] | null;
  omitStages?: Stage[];
  omitManagedFields?: boolean;
  [emptied]?: readonly string[];
};

export type PolicyList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Policy[] | null;
  [emptied]?: readonly string[];
};

export type PolicyRule = {
  level?: Level;
  users?: string[];
  userGroups?: string[];
  verbs?: string[];
  resources?: GroupResources[];
  namespaces?: string[];
  nonResourceURLs?: string[];
  omitStages?: Stage[];
  omitManagedFields?: boolean;
  [emptied]?: readonly string[];
};

export type Stage = string;

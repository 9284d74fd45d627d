// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type { Bytes, Time } from '../../scalars.ts';

export type APIService = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: APIServiceSpec;
  status?: APIServiceStatus;
  [emptied]?: readonly string[];
};

export type APIServiceCondition = {
  type?: APIServiceConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type APIServiceConditionType = string;

export type APIServiceList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: APIService[] | null;
  [emptied]?: readonly string[];
};

export type APIServiceSpec = {
  service?: ServiceReference;
  group?: string;
  version?: string;
  insecureSkipTLSVerify?: boolean;
  caBundle?: Bytes;
  groupPriorityMinimum?: number;
  versionPriority?: number;
  [emptied]?: readonly string[];
};

export type APIServiceStatus = {
  conditions?: APIServiceCondition[];
  [emptied]?: readonly string[];
};

export type ConditionStatus = string;

export type ServiceReference = {
  namespace?: string;
  name?: string;
  port?: number;
  [emptied]?: readonly string[];
};

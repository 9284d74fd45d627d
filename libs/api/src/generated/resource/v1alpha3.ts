// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Time } from '../../scalars.ts';

export type CELDeviceSelector = {
  expression?: string;
  [emptied]?: readonly string[];
};

export type DeviceSelector = {
  cel?: CELDeviceSelector;
  [emptied]?: readonly string[];
};

export type DeviceTaint = {
  key?: string;
  value?: string;
  /** `None`, `NoSchedule`, `NoExecute` */
  effect?: DeviceTaintEffect;
  timeAdded?: Time;
  [emptied]?: readonly string[];
};

export type DeviceTaintEffect = string;

export type DeviceTaintRule = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: DeviceTaintRuleSpec;
  status?: DeviceTaintRuleStatus;
  [emptied]?: readonly string[];
};

export type DeviceTaintRuleList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: DeviceTaintRule[] | null;
  [emptied]?: readonly string[];
};

export type DeviceTaintRuleSpec = {
  deviceSelector?: DeviceTaintSelector;
  taint?: DeviceTaint;
  [emptied]?: readonly string[];
};

export type DeviceTaintRuleStatus = {
  conditions?: meta_v1.Condition[];
  [emptied]?: readonly string[];
};

export type DeviceTaintSelector = {
  driver?: string;
  pool?: string;
  device?: string;
  [emptied]?: readonly string[];
};

export type PoolStatus = {
  driver?: string;
  poolName?: string;
  generation?: Int64;
  resourceSliceCount?: number;
  totalDevices?: number;
  allocatedDevices?: number;
  availableDevices?: number;
  unavailableDevices?: number;
  nodeName?: string;
  validationError?: string;
  [emptied]?: readonly string[];
};

export type ResourcePoolStatusRequest = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ResourcePoolStatusRequestSpec;
  status?: ResourcePoolStatusRequestStatus;
  [emptied]?: readonly string[];
};

export type ResourcePoolStatusRequestList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ResourcePoolStatusRequest[] | null;
  [emptied]?: readonly string[];
};

export type ResourcePoolStatusRequestSpec = {
  driver?: string;
  poolName?: string;
  limit?: number;
  [emptied]?: readonly string[];
};

export type ResourcePoolStatusRequestStatus = {
  poolCount?: number;
  pools?: PoolStatus[];
  conditions?: meta_v1.Condition[];
  [emptied]?: readonly string[];
};

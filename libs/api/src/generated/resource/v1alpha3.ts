// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Time } from '../../scalars.ts';

export type CELDeviceSelector = {
  expression?: string;
};

export type DeviceSelector = {
  cel?: CELDeviceSelector;
};

export type DeviceTaint = {
  key?: string;
  value?: string;
  /** `None`, `NoSchedule`, `NoExecute` */
  effect?: DeviceTaintEffect;
  timeAdded?: Time;
};

export type DeviceTaintEffect = string;

export type DeviceTaintRule = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: DeviceTaintRuleSpec;
  status?: DeviceTaintRuleStatus;
};

export type DeviceTaintRuleList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: DeviceTaintRule[] | null;
};

export type DeviceTaintRuleSpec = {
  deviceSelector?: DeviceTaintSelector;
  taint?: DeviceTaint;
};

export type DeviceTaintRuleStatus = {
  conditions?: meta_v1.Condition[];
};

export type DeviceTaintSelector = {
  driver?: string;
  pool?: string;
  device?: string;
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
};

export type ResourcePoolStatusRequest = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ResourcePoolStatusRequestSpec;
  status?: ResourcePoolStatusRequestStatus;
};

export type ResourcePoolStatusRequestList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ResourcePoolStatusRequest[] | null;
};

export type ResourcePoolStatusRequestSpec = {
  driver?: string;
  poolName?: string;
  limit?: number;
};

export type ResourcePoolStatusRequestStatus = {
  poolCount?: number;
  pools?: PoolStatus[];
  conditions?: meta_v1.Condition[];
};

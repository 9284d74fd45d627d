// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Quantity, RawExtension, Time } from '../../scalars.ts';

export type AllocatedDeviceStatus = {
  driver?: string;
  pool?: string;
  device?: string;
  shareID?: string;
  conditions?: meta_v1.Condition[] | null;
  data?: RawExtension;
  networkData?: NetworkDeviceData;
  [emptied]?: readonly string[];
};

export type AllocationConfigSource = string;

export type AllocationResult = {
  devices?: DeviceAllocationResult;
  nodeSelector?: core_v1.NodeSelector;
  allocationTimestamp?: Time;
  [emptied]?: readonly string[];
};

export type CELDeviceSelector = {
  expression?: string;
  [emptied]?: readonly string[];
};

export type CapacityRequestPolicy = {
  default?: Quantity | null;
  validValues?: Quantity[];
  validRange?: CapacityRequestPolicyRange;
  [emptied]?: readonly string[];
};

export type CapacityRequestPolicyRange = {
  min?: Quantity;
  max?: Quantity;
  step?: Quantity;
  [emptied]?: readonly string[];
};

export type CapacityRequirements = {
  requests?: Record<string, Quantity>;
  [emptied]?: readonly string[];
};

export type Counter = {
  value?: Quantity;
  [emptied]?: readonly string[];
};

export type CounterSet = {
  name?: string;
  counters?: Record<string, Counter>;
  [emptied]?: readonly string[];
};

export type Device = {
  name?: string;
  attributes?: Record<string, DeviceAttribute>;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  nodeName?: string;
  nodeSelector?: core_v1.NodeSelector;
  allNodes?: boolean;
  taints?: DeviceTaint[];
  bindsToNode?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  allowMultipleAllocations?: boolean;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
  [emptied]?: readonly string[];
};

export type DeviceAllocationConfiguration = {
  /** `FromClass`, `FromClaim` */
  source?: AllocationConfigSource;
  requests?: string[];
  opaque?: OpaqueDeviceConfiguration;
  [emptied]?: readonly string[];
};

export type DeviceAllocationMode = string;

export type DeviceAllocationResult = {
  results?: DeviceRequestAllocationResult[];
  config?: DeviceAllocationConfiguration[];
  [emptied]?: readonly string[];
};

export type DeviceAttribute = {
  int?: Int64;
  bool?: boolean;
  string?: string;
  version?: string;
  ints?: Int64[];
  bools?: boolean[];
  strings?: string[];
  versions?: string[];
  [emptied]?: readonly string[];
};

export type DeviceCapacity = {
  value?: Quantity;
  requestPolicy?: CapacityRequestPolicy;
  [emptied]?: readonly string[];
};

export type DeviceClaim = {
  requests?: DeviceRequest[] | null;
  constraints?: DeviceConstraint[];
  config?: DeviceClaimConfiguration[];
  [emptied]?: readonly string[];
};

export type DeviceClaimConfiguration = {
  requests?: string[];
  opaque?: OpaqueDeviceConfiguration;
  [emptied]?: readonly string[];
};

export type DeviceClass = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: DeviceClassSpec;
  [emptied]?: readonly string[];
};

export type DeviceClassConfiguration = {
  opaque?: OpaqueDeviceConfiguration;
  [emptied]?: readonly string[];
};

export type DeviceClassList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: DeviceClass[] | null;
  [emptied]?: readonly string[];
};

export type DeviceClassSpec = {
  selectors?: DeviceSelector[];
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
  [emptied]?: readonly string[];
};

export type DeviceConfiguration = {
  opaque?: OpaqueDeviceConfiguration;
  [emptied]?: readonly string[];
};

export type DeviceConstraint = {
  requests?: string[];
  matchAttribute?: FullyQualifiedName;
  distinctAttribute?: FullyQualifiedName;
  [emptied]?: readonly string[];
};

export type DeviceCounterConsumption = {
  counterSet?: string;
  counters?: Record<string, Counter>;
  [emptied]?: readonly string[];
};

export type DeviceRequest = {
  name?: string;
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
  [emptied]?: readonly string[];
};

export type DeviceRequestAllocationResult = {
  request?: string;
  driver?: string;
  pool?: string;
  device?: string;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  shareID?: string;
  consumedCapacity?: Record<string, Quantity>;
  [emptied]?: readonly string[];
};

export type DeviceSelector = {
  cel?: CELDeviceSelector;
  [emptied]?: readonly string[];
};

export type DeviceSubRequest = {
  name?: string;
  deviceClassName?: string;
  selectors?: DeviceSelector[];
  /** `ExactCount`, `All` */
  allocationMode?: DeviceAllocationMode;
  count?: Int64;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
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

export type DeviceToleration = {
  key?: string;
  /** `Exists`, `Equal` */
  operator?: DeviceTolerationOperator;
  value?: string;
  /** `None`, `NoSchedule`, `NoExecute` */
  effect?: DeviceTaintEffect;
  tolerationSeconds?: Int64;
  [emptied]?: readonly string[];
};

export type DeviceTolerationOperator = string;

export type ExactDeviceRequest = {
  deviceClassName?: string;
  selectors?: DeviceSelector[];
  /** `ExactCount`, `All` */
  allocationMode?: DeviceAllocationMode;
  count?: Int64;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
  [emptied]?: readonly string[];
};

export type FullyQualifiedName = string;

export type NetworkDeviceData = {
  interfaceName?: string;
  ips?: string[];
  hardwareAddress?: string;
  [emptied]?: readonly string[];
};

export type NodeAllocatableResourceMapping = {
  capacityKey?: QualifiedName;
  allocationMultiplier?: Quantity;
  [emptied]?: readonly string[];
};

export type OpaqueDeviceConfiguration = {
  driver?: string;
  parameters?: RawExtension | null;
  [emptied]?: readonly string[];
};

export type QualifiedName = string;

export type ResourceClaim = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ResourceClaimSpec;
  status?: ResourceClaimStatus;
  [emptied]?: readonly string[];
};

export type ResourceClaimConsumerReference = {
  apiGroup?: string;
  resource?: string;
  name?: string;
  uid?: string;
  [emptied]?: readonly string[];
};

export type ResourceClaimList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ResourceClaim[] | null;
  [emptied]?: readonly string[];
};

export type ResourceClaimSpec = {
  devices?: DeviceClaim;
  [emptied]?: readonly string[];
};

export type ResourceClaimStatus = {
  allocation?: AllocationResult;
  reservedFor?: ResourceClaimConsumerReference[];
  devices?: AllocatedDeviceStatus[];
  [emptied]?: readonly string[];
};

export type ResourceClaimTemplate = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ResourceClaimTemplateSpec;
  [emptied]?: readonly string[];
};

export type ResourceClaimTemplateList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ResourceClaimTemplate[] | null;
  [emptied]?: readonly string[];
};

export type ResourceClaimTemplateSpec = {
  metadata?: ObjectMeta;
  spec?: ResourceClaimSpec;
  [emptied]?: readonly string[];
};

export type ResourcePool = {
  name?: string;
  generation?: Int64;
  resourceSliceCount?: Int64;
  [emptied]?: readonly string[];
};

export type ResourceSlice = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: ResourceSliceSpec;
  [emptied]?: readonly string[];
};

export type ResourceSliceList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ResourceSlice[] | null;
  [emptied]?: readonly string[];
};

export type ResourceSliceSpec = {
  driver?: string;
  pool?: ResourcePool;
  nodeName?: string;
  nodeSelector?: core_v1.NodeSelector;
  allNodes?: boolean;
  devices?: Device[];
  perDeviceNodeSelection?: boolean;
  sharedCounters?: CounterSet[];
  [emptied]?: readonly string[];
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Quantity, Time } from '../../scalars.ts';

export type CSIDriver = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: CSIDriverSpec;
  [emptied]?: readonly string[];
};

export type CSIDriverList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: CSIDriver[] | null;
  [emptied]?: readonly string[];
};

export type CSIDriverSpec = {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: VolumeLifecycleMode[];
  storageCapacity?: boolean;
  fsGroupPolicy?: FSGroupPolicy;
  tokenRequests?: TokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  nodeAllocatableUpdatePeriodSeconds?: Int64;
  serviceAccountTokenInSecrets?: boolean;
  preventPodSchedulingIfMissing?: boolean;
  [emptied]?: readonly string[];
};

export type CSINode = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: CSINodeSpec;
  [emptied]?: readonly string[];
};

export type CSINodeDriver = {
  name?: string;
  nodeID?: string;
  topologyKeys?: string[] | null;
  allocatable?: VolumeNodeResources;
  [emptied]?: readonly string[];
};

export type CSINodeList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: CSINode[] | null;
  [emptied]?: readonly string[];
};

export type CSINodeSpec = {
  drivers?: CSINodeDriver[] | null;
  [emptied]?: readonly string[];
};

export type CSIStorageCapacity = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  nodeTopology?: meta_v1.LabelSelector;
  storageClassName?: string;
  capacity?: Quantity;
  maximumVolumeSize?: Quantity;
  [emptied]?: readonly string[];
};

export type CSIStorageCapacityList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: CSIStorageCapacity[] | null;
  [emptied]?: readonly string[];
};

export type FSGroupPolicy = string;

export type StorageClass = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  provisioner?: string;
  parameters?: Record<string, string>;
  /** `Recycle`, `Delete`, `Retain` */
  reclaimPolicy?: core_v1.PersistentVolumeReclaimPolicy;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  /** `Immediate`, `WaitForFirstConsumer` */
  volumeBindingMode?: VolumeBindingMode;
  allowedTopologies?: core_v1.TopologySelectorTerm[];
  [emptied]?: readonly string[];
};

export type StorageClassList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: StorageClass[] | null;
  [emptied]?: readonly string[];
};

export type TokenRequest = {
  audience?: string;
  expirationSeconds?: Int64;
  [emptied]?: readonly string[];
};

export type VolumeAttachment = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
  [emptied]?: readonly string[];
};

export type VolumeAttachmentList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: VolumeAttachment[] | null;
  [emptied]?: readonly string[];
};

export type VolumeAttachmentSource = {
  persistentVolumeName?: string;
  inlineVolumeSpec?: core_v1.PersistentVolumeSpec;
  [emptied]?: readonly string[];
};

export type VolumeAttachmentSpec = {
  attacher?: string;
  source?: VolumeAttachmentSource;
  nodeName?: string;
  [emptied]?: readonly string[];
};

export type VolumeAttachmentStatus = {
  attached?: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
  [emptied]?: readonly string[];
};

export type VolumeAttributesClass = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  driverName?: string;
  parameters?: Record<string, string>;
  [emptied]?: readonly string[];
};

export type VolumeAttributesClassList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: VolumeAttributesClass[] | null;
  [emptied]?: readonly string[];
};

export type VolumeBindingMode = string;

export type VolumeError = {
  time?: Time | null;
  message?: string;
  errorCode?: number;
  [emptied]?: readonly string[];
};

export type VolumeLifecycleMode = string;

export type VolumeNodeResources = {
  count?: number;
  [emptied]?: readonly string[];
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Quantity, Time } from '../../scalars.ts';

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

export type VolumeError = {
  time?: Time | null;
  message?: string;
  errorCode?: number;
  [emptied]?: readonly string[];
};

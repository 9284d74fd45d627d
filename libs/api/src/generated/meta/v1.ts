// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type { Int64, Json, RawExtension, Time } from '../../scalars.ts';

export type APIGroup = {
  kind?: string;
  apiVersion?: string;
  name?: string;
  versions?: GroupVersionForDiscovery[] | null;
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
  [emptied]?: readonly string[];
};

export type APIGroupList = {
  kind?: string;
  apiVersion?: string;
  groups?: APIGroup[] | null;
  [emptied]?: readonly string[];
};

export type APIResource = {
  name?: string;
  singularName?: string;
  namespaced?: boolean;
  group?: string;
  version?: string;
  kind?: string;
  verbs?: Verbs | null;
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
  [emptied]?: readonly string[];
};

export type APIResourceList = {
  kind?: string;
  apiVersion?: string;
  groupVersion?: string;
  resources?: APIResource[] | null;
  [emptied]?: readonly string[];
};

export type APIVersions = {
  kind?: string;
  apiVersion?: string;
  versions?: string[] | null;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | null;
  [emptied]?: readonly string[];
};

export type ApplyOptions = {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
  [emptied]?: readonly string[];
};

export type CauseType = string;

export type Condition = {
  type?: string;
  status?: ConditionStatus;
  observedGeneration?: Int64;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type ConditionStatus = string;

export type CreateOptions = {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
  [emptied]?: readonly string[];
};

export type DeleteOptions = {
  kind?: string;
  apiVersion?: string;
  gracePeriodSeconds?: Int64;
  preconditions?: Preconditions;
  orphanDependents?: boolean;
  propagationPolicy?: DeletionPropagation;
  dryRun?: string[];
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  [emptied]?: readonly string[];
};

export type DeletionPropagation = string;

export type { Duration } from '../../scalars.ts';

export type FieldSelectorOperator = string;

export type FieldSelectorRequirement = {
  key?: string;
  operator?: FieldSelectorOperator;
  values?: string[];
  [emptied]?: readonly string[];
};

export type { FieldsV1 } from '../../scalars.ts';

export type GetOptions = {
  kind?: string;
  apiVersion?: string;
  resourceVersion?: string;
  [emptied]?: readonly string[];
};

export type GroupKind = {
  group?: string;
  kind?: string;
  [emptied]?: readonly string[];
};

export type GroupResource = {
  group?: string;
  resource?: string;
  [emptied]?: readonly string[];
};

export type GroupVersion = {
  group?: string;
  version?: string;
  [emptied]?: readonly string[];
};

export type GroupVersionForDiscovery = {
  groupVersion?: string;
  version?: string;
  [emptied]?: readonly string[];
};

export type GroupVersionKind = {
  group?: string;
  version?: string;
  kind?: string;
  [emptied]?: readonly string[];
};

export type GroupVersionResource = {
  group?: string;
  version?: string;
  resource?: string;
  [emptied]?: readonly string[];
};

export type IncludeObjectPolicy = string;

export type LabelSelector = {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
  [emptied]?: readonly string[];
};

export type LabelSelectorOperator = string;

export type LabelSelectorRequirement = {
  key?: string;
  operator?: LabelSelectorOperator;
  values?: string[];
  [emptied]?: readonly string[];
};

export type List = {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items?: RawExtension[] | null;
  [emptied]?: readonly string[];
};

export type { ListMeta } from '@apichain/meta';

export type ListOptions = {
  kind?: string;
  apiVersion?: string;
  labelSelector?: string;
  fieldSelector?: string;
  watch?: boolean;
  allowWatchBookmarks?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: ResourceVersionMatch;
  timeoutSeconds?: Int64;
  limit?: Int64;
  continue?: string;
  sendInitialEvents?: boolean;
  shardSelector?: string;
  [emptied]?: readonly string[];
};

export type { ManagedFieldsEntry } from '@apichain/meta';

export type ManagedFieldsOperationType = string;

export type { MicroTime } from '../../scalars.ts';

export type { ObjectMeta } from '@apichain/meta';

export type { OwnerReference } from '@apichain/meta';

export type PartialObjectMetadata = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  [emptied]?: readonly string[];
};

export type PartialObjectMetadataList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: PartialObjectMetadata[] | null;
  [emptied]?: readonly string[];
};

export type Patch = Record<string, never>;

export type PatchOptions = {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
  fieldValidation?: string;
  [emptied]?: readonly string[];
};

export type Preconditions = {
  uid?: string;
  resourceVersion?: string;
  [emptied]?: readonly string[];
};

export type ResourceVersionMatch = string;

export type RootPaths = {
  paths?: string[] | null;
  [emptied]?: readonly string[];
};

export type RowConditionType = string;

export type ServerAddressByClientCIDR = {
  clientCIDR?: string;
  serverAddress?: string;
  [emptied]?: readonly string[];
};

export type ShardInfo = {
  selector?: string;
  [emptied]?: readonly string[];
};

export type Status = {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  status?: string;
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code?: number;
  [emptied]?: readonly string[];
};

export type StatusCause = {
  reason?: CauseType;
  message?: string;
  field?: string;
  [emptied]?: readonly string[];
};

export type StatusDetails = {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
  [emptied]?: readonly string[];
};

export type StatusReason = string;

export type Table = {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  columnDefinitions?: TableColumnDefinition[] | null;
  rows?: TableRow[] | null;
  [emptied]?: readonly string[];
};

export type TableColumnDefinition = {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
  [emptied]?: readonly string[];
};

export type TableOptions = {
  kind?: string;
  apiVersion?: string;
  includeObject?: IncludeObjectPolicy;
  [emptied]?: readonly string[];
};

export type TableRow = {
  cells?: Json[] | null;
  conditions?: TableRowCondition[];
  object?: RawExtension | null;
  [emptied]?: readonly string[];
};

export type TableRowCondition = {
  type?: RowConditionType;
  status?: ConditionStatus;
  reason?: string;
  message?: string;
  [emptied]?: readonly string[];
};

export type { Time } from '../../scalars.ts';

export type Timestamp = {
  seconds?: Int64;
  nanos?: number;
  [emptied]?: readonly string[];
};

export type TypeMeta = {
  kind?: string;
  apiVersion?: string;
  [emptied]?: readonly string[];
};

export type UpdateOptions = {
  kind?: string;
  apiVersion?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
  [emptied]?: readonly string[];
};

export type Verbs = string[];

export type WatchEvent = {
  type?: string;
  object?: RawExtension | null;
  [emptied]?: readonly string[];
};

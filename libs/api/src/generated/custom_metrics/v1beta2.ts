// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type * as meta_v1 from '../meta/v1.ts';
import type { Int64, Quantity, Time } from '../../scalars.ts';

export type MetricIdentifier = {
  name?: string;
  selector?: meta_v1.LabelSelector | null;
  [emptied]?: readonly string[];
};

export type MetricListOptions = {
  kind?: string;
  apiVersion?: string;
  labelSelector?: string;
  metricLabelSelector?: string;
  [emptied]?: readonly string[];
};

export type MetricValue = {
  kind?: string;
  apiVersion?: string;
  describedObject?: core_v1.ObjectReference;
  metric?: MetricIdentifier;
  timestamp?: Time | null;
  windowSeconds?: Int64;
  value?: Quantity;
  [emptied]?: readonly string[];
};

export type MetricValueList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: MetricValue[] | null;
  [emptied]?: readonly string[];
};

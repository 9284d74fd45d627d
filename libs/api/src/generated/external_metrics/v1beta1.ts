// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, emptied } from '@apichain/meta';
import type { Int64, Quantity, Time } from '../../scalars.ts';

export type ExternalMetricValue = {
  kind?: string;
  apiVersion?: string;
  metricName?: string;
  metricLabels?: Record<string, string> | null;
  timestamp?: Time | null;
  window?: Int64;
  value?: Quantity;
  [emptied]?: readonly string[];
};

export type ExternalMetricValueList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: ExternalMetricValue[] | null;
  [emptied]?: readonly string[];
};

// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as core_v1 from '../core/v1.ts';
import type { MicroTime, Time } from '../../scalars.ts';

export type Event = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  eventTime?: MicroTime | null;
  series?: EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: core_v1.ObjectReference;
  related?: core_v1.ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: core_v1.EventSource;
  deprecatedFirstTimestamp?: Time | null;
  deprecatedLastTimestamp?: Time | null;
  deprecatedCount?: number;
  [emptied]?: readonly string[];
};

export type EventList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: Event[] | null;
  [emptied]?: readonly string[];
};

export type EventSeries = {
  count?: number;
  lastObservedTime?: MicroTime | null;
  [emptied]?: readonly string[];
};
